# `docker build -t ossature .` has all extras; `docker build --build-arg EXTRAS= -t ossature-core .` the core alone.
# `docker run --rm -v "$PWD:/models" ossature check /models` checks the models of the present folder.
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
ARG EXTRAS=[all]
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)${EXTRAS}" && rm -rf /wheels && useradd --create-home ossature
USER ossature
WORKDIR /models
ENTRYPOINT ["ossature"]
CMD ["--help"]
