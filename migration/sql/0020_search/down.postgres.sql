DROP TABLE run_text_backlog;
DROP TRIGGER runs_forget_texts ON runs;
DROP FUNCTION forget_run_texts();
DROP TABLE run_texts;
