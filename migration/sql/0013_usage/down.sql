DROP TABLE run_counts;
DROP TABLE usage_daily;
DELETE FROM sequences WHERE key LIKE 'counters:%';
