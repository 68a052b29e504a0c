DROP TABLE sso_logouts;
DROP TABLE sso_sessions;
DROP TABLE sso_links;
DROP TABLE sso_connections;
