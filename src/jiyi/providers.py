"""Who serves models: from ``provider:model`` to an address and a key.  A table and pure functions; no environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from jiyi.errors import InvalidInput, ModelRejected


@dataclass(frozen=True, slots=True)
class Provider:
    """One server, or kind of server, that speaks OpenAI's chat-completions protocol.

    Attributes:
        base_url: where it answers when nothing else is set.
        variable: the environment variable of its key.
        needs_key: whether it answers nobody without one.
        hosts: further hosts of the same company, which may get the same key.
        batch: texts that one embedding request may hold.
        embedding: the embedding model that is usual there; empty for none at the same address.
        dimensions: of that model's vectors.
    """

    base_url: str
    variable: str
    needs_key: bool = True
    hosts: tuple[str, ...] = ()
    batch: int = 32
    embedding: str = ""
    dimensions: int = 0


PROVIDERS: Mapping[str, Provider] = {
    "dashscope": Provider(
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
        hosts=("dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com", "cn-hongkong.dashscope.aliyuncs.com"),
        batch=10,
        embedding="text-embedding-v4",
        dimensions=1024,
    ),
    "deepseek": Provider("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "llamaserver": Provider("http://127.0.0.1:8080/v1", "LLAMA_API_KEY", needs_key=False),
    "lmstudio": Provider(
        "http://127.0.0.1:1234/v1",
        "LM_API_TOKEN",
        needs_key=False,
        embedding="text-embedding-nomic-embed-text-v1.5",
        dimensions=768,
    ),
    "moonshot": Provider("https://api.moonshot.cn/v1", "MOONSHOT_API_KEY", hosts=("api.moonshot.ai",)),
    "ollama": Provider(
        "http://127.0.0.1:11434/v1",
        "OLLAMA_API_KEY",
        needs_key=False,
        hosts=("ollama.com",),
        embedding="bge-m3",
        dimensions=1024,
    ),
    "openai": Provider(
        "https://api.openai.com/v1", "OPENAI_API_KEY", embedding="text-embedding-3-small", dimensions=1536
    ),
    "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "siliconflow": Provider("https://api.siliconflow.cn/v1", "SILICONFLOW_API_KEY", hosts=("api.siliconflow.com",)),
    "vllm": Provider("http://127.0.0.1:8000/v1", "VLLM_API_KEY", needs_key=False),
    "zhipu": Provider("https://open.bigmodel.cn/api/paas/v4", "ZHIPU_API_KEY", hosts=("api.z.ai",)),
}
"""Name -> server.  Batch limits as the providers document them; 32 is within the limits of all others."""

DATABASES: Mapping[str, str] = {
    "milvus": "MILVUS_TOKEN",
    "pinecone": "PINECONE_API_KEY",
    "qdrant": "QDRANT_API_KEY",
}
"""Vector databases that may want a key -> its environment variable."""

_WITH_URL = re.compile(r"(?P<model>.*?)@(?P<url>https?://.*)", re.DOTALL)
_SCHEME_FORGOTTEN = re.compile(r"@(?:localhost|[\w.-]+:\d+|\d+(?:\.\d+){3})(?:/|$)")
_LOOPBACK = re.compile(r"localhost|127(?:\.\d+){3}|::1")


@dataclass(frozen=True, slots=True)
class Address:
    """One model at one server.

    Attributes:
        provider: a name of ``PROVIDERS``.
        model: as the server calls it.
        base_url: without a slash at the end.
        key: empty for none; never shown.
        own: the base URL is another than the provider's usual one.
        trusted: the provider's key goes there.
    """

    provider: str
    model: str
    base_url: str
    key: str = field(default="", repr=False)
    own: bool = False
    trusted: bool = True

    @property
    def host(self) -> str:
        """Host, and port where one is given."""
        return urlsplit(self.base_url).netloc

    @property
    def name(self) -> str:
        """``provider:model``, with the address where it is not the usual one; can be opened again."""
        return f"{self.provider}:{self.model}" + (f"@{self.base_url}" if self.own else "")

    @property
    def local(self) -> bool:
        """Whether it is on this machine, where no proxy leads to."""
        return _LOOPBACK.fullmatch(urlsplit(self.base_url).hostname or "") is not None

    @property
    def key_advice(self) -> str:
        """Where to put the key."""
        if not self.trusted:
            return f'put its key into jiyi.toml, under [keys], as "{self.host}" = "…"'
        return f"set {PROVIDERS[self.provider].variable}"


def resolve(
    spec: str,
    *,
    key: str | None = None,
    keys: Mapping[str, str] | None = None,
    base_urls: Mapping[str, str] | None = None,
) -> Address:
    """The address that ``provider:model`` or ``provider:model@URL`` names.

    A provider's key goes to its own hosts and to the address set for it, never to another one that stands behind ``@``:
    that gets the key kept under its host's name.

    Args:
        spec: for example ``ollama:qwen3:8b``, ``openai:my-model@http://gpu:8000/v1``.
        key: goes above ``keys``.
        keys: provider, or host with port -> key.
        base_urls: provider -> base URL, instead of the usual one.

    Raises:
        InvalidInput: no such provider, no model, or an address that is none.
        ModelRejected: the provider wants a key, and there is none.
    """
    name, _, rest = spec.strip().partition(":")
    if name not in PROVIDERS:
        raise InvalidInput("model", f"unknown provider {name!r}; there are {', '.join(sorted(PROVIDERS))}")
    provider, keys, base_urls = PROVIDERS[name], keys or {}, base_urls or {}
    found = _WITH_URL.fullmatch(rest)
    model, url = (found["model"], found["url"]) if found else (rest, "")
    if not found and _SCHEME_FORGOTTEN.search(rest):
        raise InvalidInput("model", f"{spec!r}: write the address behind @ with http:// or https://")
    if not model.strip():
        raise InvalidInput("model", f"{name} needs a model's name, for example {name}:MODEL")
    base_url = _checked(url or base_urls.get(name) or provider.base_url)
    host = urlsplit(base_url).netloc
    trusted = not url or host in _hosts(name)
    if key is None:
        key = keys.get(host) or (keys.get(name, "") if trusted else "")
    address = Address(name, model.strip(), base_url, _clean(key, name), base_url != provider.base_url, trusted)
    if not address.key and provider.needs_key and host in _hosts(name):
        raise ModelRejected(f"{address.name} needs a key: {address.key_advice}")
    return address


def collect(environ: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Keys and base URLs that the variables of an environment give, by provider; keys of vector databases too.

    Beside each provider's key variable there are ``<NAME>_BASE_URL``, for example ``OPENAI_BASE_URL``, and
    ``OLLAMA_HOST`` in the forms that Ollama takes.
    """
    variables = {name: provider.variable for name, provider in PROVIDERS.items()} | {**DATABASES}
    keys = {name: key for name, variable in variables.items() if (key := environ.get(variable, "").strip())}
    urls = {name: url for name in PROVIDERS if (url := environ.get(f"{name.upper()}_BASE_URL", "").strip())}
    if "ollama" not in urls and (host := environ.get("OLLAMA_HOST", "").strip()):
        urls["ollama"] = ollama_url(host)
    return keys, urls


def ollama_url(host: str) -> str:
    """The base URL behind ``OLLAMA_HOST``: ``host``, ``host:port``, ``:port`` or a URL; 0.0.0.0 is this machine."""
    scheme, separator, rest = host.rpartition("://")
    rest = rest.rstrip("/")
    authority, slash, path = rest.partition("/")
    name, colon, port = authority.rpartition(":") if re.search(r":\d*$", authority) else (authority, "", "")
    if not colon or not port:
        port = {"http": "80", "https": "443"}[scheme] if separator and scheme in ("http", "https") else "11434"
    name = "127.0.0.1" if name in ("", "0.0.0.0", "[::]") else name
    path = f"{slash}{path}".removesuffix("/v1")
    return f"{scheme or 'http'}://{name}:{port}{path}/v1"


def _hosts(name: str) -> tuple[str, ...]:
    provider = PROVIDERS[name]
    return (urlsplit(provider.base_url).netloc, *provider.hosts)


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable, parts = False, urlsplit("")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidInput("model", "an address must not hold a user, a password, a query or a fragment")
    if not usable:
        raise InvalidInput("model", f"{url!r} is no address of a server, such as http://127.0.0.1:8000/v1")
    return url.rstrip("/").removesuffix("/chat/completions").removesuffix("/embeddings")


def _clean(key: str, provider: str) -> str:
    """A key that can stand in a header; what is wrong with it is said without showing it."""
    key = key.strip()
    if not all("!" <= char <= "~" for char in key):
        raise ModelRejected(f"the key for {provider} has a character that no key has; copy it again")
    return key


__all__ = ["DATABASES", "PROVIDERS", "Address", "Provider", "collect", "ollama_url", "resolve"]
