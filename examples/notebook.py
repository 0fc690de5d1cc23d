"""A model and a recording of it in a Jupyter notebook: each part is a cell.

Needs ``pip install 'ossature[view,plot]'``.
"""

# %%
from pathlib import Path

import ossature

folder = Path(globals().get("__file__", "examples/notebook.py")).parent
world = ossature.load(folder / "slider_crank.yaml")
world  # a table of its joints and bodies

# %%
recording = ossature.Simulation(world).run(2.0, sample=0.02)
view = world.show(recording=recording)  # the viewer, which plays the recording
view

# %%
recording.plot()  # plots of all quantities over time

# %%
view.close()
