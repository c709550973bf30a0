"""Parsing with Ray Data: ``treebeam.ray.parse(dataset, "en.model", beam=8)``.

The columns are those of `treebeam.spark`, and so is the function that is called with each batch.
"""

from __future__ import annotations

import os
import tempfile

from ._batches import BatchParser, loaded, path_of, sha256

__all__ = ["BatchParser", "parse"]


class RayParser(BatchParser):
    """A `BatchParser` that brings the model along: workers on other machines do not have its file."""

    def __init__(self, model, **options) -> None:
        import ray

        super().__init__(model, **options)
        self.sha256 = sha256(self.model)
        with open(self.model, "rb") as file:
            self.content = ray.put(file.read())

    def loaded(self):
        """The model of the file, or of a copy if there is none or another one here."""
        if os.path.exists(self.model) and sha256(self.model) == self.sha256:
            return loaded(self.model)
        copy = os.path.join(tempfile.gettempdir(), f"treebeam-{self.sha256}.model")
        if not os.path.exists(copy) or sha256(copy) != self.sha256:
            import ray

            # Several workers of a machine may write it: it appears whole.
            with tempfile.NamedTemporaryFile(dir=tempfile.gettempdir(), prefix="treebeam-", delete=False) as file:
                file.write(ray.get(self.content))
            os.replace(file.name, copy)
        return loaded(copy)


def parse(dataset, model, *, batch_size=1024, beam=None, keep_going=False, **options):
    """Parses a dataset of sentences, batch by batch; a worker loads the model once.

    The model is a path or a loaded one; options are those of `Model.parse`. A malformed row ends it with an error that names the row
    of the batch; with ``keep_going``, its ``head``, ``deprel`` and ``score`` are null.
    """
    parser = RayParser(path_of(model), beam=beam, keep_going=keep_going, **options)
    return dataset.map_batches(parser.__call__, batch_format="pyarrow", batch_size=batch_size)
