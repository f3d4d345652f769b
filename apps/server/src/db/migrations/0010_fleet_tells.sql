SELECT oms_wall('device_auto_confirms', 'EXISTS (SELECT FROM devices d WHERE d.id = device_id)');
--> statement-breakpoint
-- Devices name their tenant in the address they call.
CREATE TRIGGER tenants_tell AFTER INSERT OR UPDATE OF tenant_no, deleted_at ON tenants
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
-- Lists of members may be millions of rows: who follows them is told which list, and of a small change which devices,
-- or one tick in a list would make every process read the whole of it again.
CREATE FUNCTION oms_tell_members() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lists integer[];
  few integer[];
BEGIN
  EXECUTE format('SELECT array_agg(DISTINCT l) FROM (SELECT %I AS l FROM touched) t', TG_ARGV[0]) INTO lists;
  IF lists IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT array_agg(device_id) INTO few FROM (SELECT device_id FROM touched LIMIT 301) t;
  PERFORM pg_notify('oms', json_build_object('topic', 'fleet', 'table', TG_TABLE_NAME,
    'lists', CASE WHEN array_length(lists, 1) <= 300 THEN lists END,
    'devices', CASE WHEN array_length(few, 1) <= 300 THEN few END)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
DROP TRIGGER ota_whites_tell ON ota_whites;
--> statement-breakpoint
CREATE TRIGGER ota_whites_tell_in AFTER INSERT ON ota_whites REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_members('ota_id');
--> statement-breakpoint
CREATE TRIGGER ota_whites_tell_out AFTER DELETE ON ota_whites REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_members('ota_id');
--> statement-breakpoint
DROP TRIGGER device_group_members_tell ON device_group_members;
--> statement-breakpoint
CREATE TRIGGER device_group_members_tell_in AFTER INSERT ON device_group_members REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_members('group_id');
--> statement-breakpoint
CREATE TRIGGER device_group_members_tell_out AFTER DELETE ON device_group_members REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_members('group_id');
