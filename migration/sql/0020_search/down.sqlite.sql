DROP TABLE run_text_backlog;
DROP TRIGGER runs_forget_texts;
DROP TABLE run_search;
DROP TABLE run_texts;
