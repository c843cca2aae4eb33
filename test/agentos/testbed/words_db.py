"""A vector database without vectors: it keeps documents in memory and finds them by their words."""

from typing import Any, List

from agno.vectordb.base import VectorDb


class WordsDb(VectorDb):
    """What `Knowledge` needs of a vector database, so that no embedder, model or server is needed."""

    def __init__(self) -> None:
        super().__init__(name="words")
        self.rows: List[Any] = []  # pairs of a content's hash and one of its documents

    def insert(self, content_hash: str, documents: List[Any], filters: Any = None, **_: Any) -> None:
        self.rows += [(content_hash, document) for document in documents]

    def upsert(self, content_hash: str, documents: List[Any], filters: Any = None, **_: Any) -> None:
        self._keep(lambda row: row[0] != content_hash)
        self.insert(content_hash, documents)

    async def async_insert(self, content_hash: str, documents: List[Any], filters: Any = None, **_: Any) -> None:
        self.insert(content_hash, documents)

    async def async_upsert(self, content_hash: str, documents: List[Any], filters: Any = None, **_: Any) -> None:
        self.upsert(content_hash, documents)

    def search(self, query: str, limit: int = 5, filters: Any = None, **_: Any) -> List[Any]:
        words = query.lower().split()
        found = [document for _, document in self.rows if all(word in document.content.lower() for word in words)]
        return found[:limit]

    async def async_search(self, query: str, limit: int = 5, filters: Any = None, **_: Any) -> List[Any]:
        return self.search(query, limit)

    def upsert_available(self) -> bool:
        return True

    def content_hash_exists(self, content_hash: str, **_: Any) -> bool:
        return any(row[0] == content_hash for row in self.rows)

    def name_exists(self, name: str) -> bool:
        return any(document.name == name for _, document in self.rows)

    async def async_name_exists(self, name: str) -> bool:
        return self.name_exists(name)

    def id_exists(self, id: str) -> bool:
        return any(document.id == id for _, document in self.rows)

    def delete_by_content_id(self, content_id: str, **_: Any) -> bool:
        return self._keep(lambda row: row[1].content_id != content_id)

    def delete_by_id(self, id: str) -> bool:
        return self._keep(lambda row: row[1].id != id)

    def delete_by_name(self, name: str) -> bool:
        return self._keep(lambda row: row[1].name != name)

    def delete_by_metadata(self, metadata: Any) -> bool:
        return False

    def delete(self) -> bool:
        return self._keep(lambda row: False)

    def _keep(self, holds: Any) -> bool:
        before = len(self.rows)
        self.rows = [row for row in self.rows if holds(row)]
        return len(self.rows) < before

    def create(self) -> None:
        """Nothing to make: it is there."""

    async def async_create(self) -> None:
        """The same."""

    def drop(self) -> None:
        self.delete()

    async def async_drop(self) -> None:
        self.delete()

    def exists(self) -> bool:
        return True

    async def async_exists(self) -> bool:
        return True

    def get_supported_search_types(self) -> List[str]:
        return ["keyword"]
