"""Toy files: a line ``toy NAME``, and for each body a line ``NAME MASS`` [kg]."""

from ossature.diagnostics import Location, Rule
from ossature.formats import Format, Loaded, ReadContext, WriteContext, WrittenFiles
from ossature.model import Body, Inertial, Model, NamedList, World

INVALID_LINE = Rule.error(
    "invalid-toy-line",
    "TOY001",
    "A line of a toy file is not a name and a mass.",
    "Each line after the first one is the name of a body and its mass [kg], separated by a blank.",
)


def read(context: ReadContext) -> Loaded:
    first, *lines = context.source.data.decode("utf-8", "replace").splitlines()
    bodies = []
    for number, line in enumerate(lines, 2):
        try:
            name, mass = line.split()
            bodies.append(Body(name=name, inertial=Inertial(mass=float(mass))))
        except ValueError:
            location = Location(context.source, context.source.offset_of(number))
            context.report.add(INVALID_LINE, f"'{line[:40]}' is not a name and a mass", location)
    model = Model(name=first.removeprefix("toy").strip(), bodies=NamedList(bodies))
    return Loaded(world=World(models=NamedList([model]), origin=Location(context.source, 0)))


def write(world: World, context: WriteContext) -> WrittenFiles:
    files = [context.path, *(context.path.with_name(f"{model.name}.toy") for model in world.models[1:])]
    texts = []
    for model in world.models:
        for element in (*model.bodies, *model.joints):
            context.ledger.dropped(f"{model.name}/{element.name}", "only names and masses of bodies are written")
        texts.append("".join([f"toy {model.name}\n", *(f"{body.name} {body.inertial.mass}\n" for body in model.bodies)]))
    return {file: text.encode() for file, text in zip(files, texts, strict=True)}


FORMAT = Format(
    name="toy",
    title="Toy files",
    suffixes=(".toy",),
    sniff=lambda data: data.startswith(b"toy "),
    read=read,
    write=write,
    rules=lambda: (INVALID_LINE,),
)
