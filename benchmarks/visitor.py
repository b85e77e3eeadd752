"""A visitor without a browser: what Streamlit's page sends and hears, so that only the server is measured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

LONGEST = 120.0  # seconds that an answer may take
QUIET = 5.0  # seconds after which nothing more is to come; a server that is busy may be silent for two


class Visitor:
    """One session. Opened at once; `edit` changes the text of the page's first text field. `query` is the page's
    present query, as in a browser's address.

    Raises TimeoutError if the server does not answer within `LONGEST` seconds, LookupError for a page without a field.
    """

    def __init__(self, url: str, page: str = "", query: str = "") -> None:
        address = url.replace("http", "ws", 1) + "/_stcore/stream"
        self._open = ExitStack()
        self._socket: ClientConnection = self._open.enter_context(
            connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None, compression=None)
        )
        self._field, self._script, self.query = "", "", query
        self._ask(ClientState(query_string=query, page_name=page))
        if not self._field:
            raise LookupError(f"no text field on the page {page!r}")

    def edit(self, text: str) -> float:
        """Change the text; the seconds until the page's script has run to its end."""
        begun = time.perf_counter()
        self.send(text)
        self.wait()
        return time.perf_counter() - begun

    def send(self, text: str) -> None:
        """Change the text and do not wait."""
        state = ClientState(page_script_hash=self._script, query_string=self.query)
        state.widget_states.widgets.add(id=self._field, string_value=text)
        self._socket.send(BackMsg(rerun_script=state).SerializeToString())

    def wait(self) -> None:
        """Until a script has run to its end."""
        ends = (m.script_finished for m in self._heard() if m.WhichOneof("type") == "script_finished")
        next(end for end in ends if end == ForwardMsg.FINISHED_SUCCESSFULLY)

    def wait_for_quiet(self) -> float:
        """Until the server has said nothing for `QUIET` seconds; the time of its last word."""
        last = time.perf_counter()
        while True:
            try:
                self._socket.recv(timeout=QUIET)
            except TimeoutError:
                return last
            last = time.perf_counter()

    def close(self) -> None:
        self._open.close()

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def _ask(self, state: ClientState) -> None:
        self._socket.send(BackMsg(rerun_script=state).SerializeToString())
        self.wait()

    def _heard(self) -> Iterator[ForwardMsg]:
        while True:
            data = self._socket.recv(timeout=LONGEST)
            message = ForwardMsg.FromString(data if isinstance(data, bytes) else data.encode())
            self._note(message)
            yield message

    def _note(self, message: ForwardMsg) -> None:
        """The page that is open, its address, and the first text field on it."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._script, self._field = message.new_session.page_script_hash, ""
        elif kind == "navigation":
            self._script = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "text_area":
            self._field = self._field or message.delta.new_element.text_area.id
