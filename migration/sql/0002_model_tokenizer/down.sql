ALTER TABLE models DROP COLUMN tokenizer;
