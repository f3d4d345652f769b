-- A vendor has thousands of versions: who follows them is told which ones changed, or one tick of a release would make
-- every process read all of them again before a device hears of it.
CREATE FUNCTION oms_tell_rules() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lists integer[];
BEGIN
  SELECT array_agg(DISTINCT ota_id) INTO lists FROM touched;
  IF lists IS NOT NULL THEN
    PERFORM pg_notify('oms', json_build_object('topic', 'fleet', 'table', TG_TABLE_NAME,
      'lists', CASE WHEN array_length(lists, 1) <= 300 THEN lists END)::text);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
DROP TRIGGER ota_versions_tell ON ota_versions;
--> statement-breakpoint
CREATE TRIGGER ota_versions_tell_in AFTER INSERT ON ota_versions REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_rules();
--> statement-breakpoint
CREATE TRIGGER ota_versions_tell_new AFTER UPDATE ON ota_versions REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_rules();
--> statement-breakpoint
CREATE TRIGGER ota_versions_tell_out AFTER DELETE ON ota_versions REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_rules();
--> statement-breakpoint
DROP TRIGGER ota_policies_tell ON ota_policies;
--> statement-breakpoint
CREATE TRIGGER ota_policies_tell_in AFTER INSERT ON ota_policies REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_rules();
--> statement-breakpoint
CREATE TRIGGER ota_policies_tell_new AFTER UPDATE ON ota_policies REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_rules();
--> statement-breakpoint
CREATE TRIGGER ota_policies_tell_out AFTER DELETE ON ota_policies REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_rules();
