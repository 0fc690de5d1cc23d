"""Formats of other packages, whose functions may raise anything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ossature.diagnostics import LimitError, Location, OssatureError
from ossature.formats.format import Format, Loaded, ReadContext, WriteContext, WrittenFiles
from ossature.plugins import FAILED_PLUGIN, Plugin, describe_failure


def guard_plugin_format(plugin: Plugin) -> Format:
    """Return the format of a plug-in with a reader and a writer whose exceptions name the plug-in."""
    known: Format = plugin.value
    original_read, original_write = known.read, known.write

    def read(context: ReadContext) -> Loaded:
        try:
            return original_read(context) if original_read is not None else Loaded()
        except (LimitError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  # code of others may raise anything
            context.report.add(FAILED_PLUGIN, describe_failure(plugin.label, error), Location(context.source))
            return Loaded()

    def write(content: Any, context: WriteContext) -> WrittenFiles:
        try:
            return original_write(content, context) if original_write is not None else {}
        except (OssatureError, LimitError, MemoryError):
            raise
        except Exception as error:
            raise OssatureError(describe_failure(plugin.label, error)) from error

    return replace(known, read=original_read and read, write=original_write and write)
