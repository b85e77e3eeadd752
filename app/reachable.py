"""Whether the server can be reached from other machines: what a visitor may open depends on it."""

from __future__ import annotations

import ipaddress
import logging
from functools import cache

import psutil
import streamlit as st

from models.pretrained.access import Access, access

LOG = logging.getLogger("attention_microscope")


def own_models() -> Access:
    """Which models beside the ready ones whoever visits the app may open."""
    return access(reachable=reachable())


@cache
def reachable() -> bool:
    """Whether the server listens on more than the loopback address: by its setting, or, where another program serves
    the app (`uvicorn app.server:app`), by its sockets."""
    return not is_loopback(st.get_option("server.address")) or not all(map(is_loopback, _listening()))


def is_loopback(address: str | None) -> bool:
    """Whether only this machine can reach `address`. No address is every address."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address((address or "").strip("[]")).is_loopback
    except ValueError:  # a host's name, a socket in the file system with a proxy before it
        return False


def _listening() -> list[str]:
    try:
        sockets = psutil.Process().net_connections(kind="tcp")
    except (psutil.Error, OSError):
        LOG.info("the server's sockets cannot be seen", exc_info=True)
        return []
    return [socket.laddr.ip for socket in sockets if socket.status == psutil.CONN_LISTEN]
