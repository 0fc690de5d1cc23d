"""OpenUSD: stages with UsdPhysics, Newton's and MuJoCo's schemas."""

from ossature.formats.usd.read import read_usd

__all__ = ["read_usd"]
