DROP TABLE view_defaults;
DROP TABLE saved_views;
