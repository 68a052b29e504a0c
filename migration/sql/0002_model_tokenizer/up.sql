-- How a model's tokens are counted: by its name, unless an encoding is named.
ALTER TABLE models ADD COLUMN tokenizer TEXT NOT NULL DEFAULT 'auto';
