"""A cart-pole as an FMI unit, simulated by FMPy with a force of 1 N at the cart.

Needs ``pip install 'ossature[fmu]' fmpy``.
"""

from pathlib import Path

import fmpy
import numpy as np

import ossature

world = ossature.load(Path(__file__).with_name("cart_pole.urdf"))
unit = ossature.export_fmu(world, "cart_pole.fmu", ["cart"])
force = np.array([(0.0, 1.0)], dtype=[("time", float), ("u.cart_pole.cart", float)])
outputs = ["q.cart_pole.cart", "q.cart_pole.pole"]
result = fmpy.simulate_fmu(str(unit), stop_time=0.5, step_size=0.01, output_interval=0.01, input=force, output=outputs)
print(f"after {result['time'][-1]:.2f} s the cart is at {result['q.cart_pole.cart'][-1]:.3f} m")
