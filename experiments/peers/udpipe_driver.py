"""UDPipe 1 (Straka, Hajič & Straková 2016) as a program of two commands, for its Python package has none.

    udpipe_driver.py train TRAIN DEV MODEL OPTIONS
    udpipe_driver.py parse MODEL INPUT OUTPUT OPTIONS

OPTIONS are UDPipe's own, `key=value` joined by `;`. Files are CoNLL-U. Words and tags are taken as they stand: there is
no tokenizer and no tagger in the model, so parsing is all that is trained and timed.
"""

import sys

from ufal.udpipe import InputFormat, Model, OutputFormat, ProcessingError, Sentence, Sentences, Trainer


def sentences(path):
    """The sentences of a file, one at a time."""
    reader = InputFormat.newConlluInputFormat()
    with open(path, encoding="utf-8") as file:
        reader.setText(file.read())
    error = ProcessingError()
    sentence = Sentence()
    while reader.nextSentence(sentence, error):
        yield sentence
        sentence = Sentence()
    if error.occurred():
        sys.exit(f"{path}: {error.message}")


def train(train_path, dev_path, model_path, options):
    """Trains a parser."""
    error = ProcessingError()
    data = [Sentences(sentences(path)) for path in (train_path, dev_path)]
    none = Trainer.NONE
    model = Trainer.train("morphodita_parsito", *data, none, none, options, error)
    if error.occurred():
        sys.exit(error.message)
    with open(model_path, "wb") as file:
        file.write(model)


def parse(model_path, input_path, output_path, options):
    """Parses a file."""
    model = Model.load(model_path)
    if not model:
        sys.exit(f"{model_path}: UDPipe cannot load this model")
    writer = OutputFormat.newConlluOutputFormat()
    error = ProcessingError()
    with open(output_path, "w", encoding="utf-8") as output:
        for sentence in sentences(input_path):
            if not model.parse(sentence, options, error):
                sys.exit(f"{input_path}: {error.message}")
            output.write(writer.writeSentence(sentence))
        output.write(writer.finishDocument())


if __name__ == "__main__":
    {"train": train, "parse": parse}[sys.argv[1]](*sys.argv[2:])
