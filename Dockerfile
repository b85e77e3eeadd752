# Attention Microscope as a container.
#   docker build -t attention-microscope .
#   docker run --rm -p 127.0.0.1:8501:8501 attention-microscope
# Runs without root, without capabilities and on a read-only root file system (give it a tmpfs at /tmp, and a volume at
# /models if pretrained models are to be fetched and kept).

FROM python:3.11-slim-bookworm AS packages
# Where PyTorch's CPU build comes from; the package index's default is a CUDA build of several GB. Empty: that index only.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN python -m venv /opt/venv
COPY requirements.txt /tmp/requirements.txt
RUN /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check \
        ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} -r /tmp/requirements.txt

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /tmp --shell /usr/sbin/nologin microscope && \
    install -d -o microscope /models
COPY --from=packages /opt/venv /opt/venv
WORKDIR /srv/attention-microscope
COPY .streamlit .streamlit
COPY models models
COPY components components
COPY app app
COPY LICENSE NOTICE ./
# Nothing is written at run time, so the bytecode of the app is made here; pip has made that of the packages.
RUN /opt/venv/bin/python -m compileall -q app components models

# Any host name leads here: which ones there are, only whoever runs the container knows. ATTENTION_OWN_MODELS is not set,
# so visitors can open the ready models and no folders or hub ids (`on`, or a list of folders, changes that).
# browser.serverAddress is what the log shows; without it the server asks the network for its outside address.
ENV PATH=/opt/venv/bin:$PATH \
    HOME=/tmp \
    XDG_CACHE_HOME=/tmp/cache \
    HF_HOME=/tmp/huggingface \
    ATTENTION_HOME=/models \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_ALLOWED_HOSTS=* \
    STREAMLIT_BROWSER_SERVER_ADDRESS=localhost
USER microscope
EXPOSE 8501

# The body is looked at, because unknown paths are answered with status 200, too.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import sys, urllib.request as r; sys.exit(r.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4).read() != b'ok')"]

CMD ["python", "-m", "streamlit", "run", "app/server.py"]
