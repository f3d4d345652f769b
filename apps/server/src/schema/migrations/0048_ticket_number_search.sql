CREATE INDEX tickets_no_trgm ON tickets USING gin (feedback_no gin_trgm_ops);
