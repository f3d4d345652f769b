-- Every process remembers the names lists show beside ids; whoever changes one tells them all.
CREATE FUNCTION oms_tell_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('oms', json_build_object('topic', 'names', 'table', TG_TABLE_NAME)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tenants_tell_name AFTER UPDATE OF name ON tenants
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION oms_tell_name();
--> statement-breakpoint
CREATE TRIGGER device_models_tell_name AFTER UPDATE OF model_name ON device_models
  FOR EACH ROW WHEN (OLD.model_name IS DISTINCT FROM NEW.model_name) EXECUTE FUNCTION oms_tell_name();
--> statement-breakpoint
CREATE TRIGGER accounts_tell_name AFTER UPDATE OF account, realname ON accounts
  FOR EACH ROW WHEN (OLD.account IS DISTINCT FROM NEW.account OR OLD.realname IS DISTINCT FROM NEW.realname)
  EXECUTE FUNCTION oms_tell_name();
