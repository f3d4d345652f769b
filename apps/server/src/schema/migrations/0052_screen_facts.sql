ALTER TABLE "ad_screens" ADD COLUMN "smil_media" varchar(24)[] DEFAULT '{}'::varchar[] NOT NULL;--> statement-breakpoint
ALTER TABLE "ad_screens" ADD COLUMN "held_media" varchar(24)[] DEFAULT '{}'::varchar[] NOT NULL;--> statement-breakpoint
ALTER TABLE "ad_screens" ADD COLUMN "muted" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ad_screens" ADD COLUMN "covered" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ad_screens" ADD COLUMN "playing_time" timestamp (3) with time zone;--> statement-breakpoint
-- The files of SMIL players are unknown until each player requests its index again, every minute.
UPDATE ad_screens SET applied_etag = '' WHERE player_kind = 3;
--> statement-breakpoint
-- The web player reported muted sound as the last word of its version.
UPDATE ad_screens SET muted = 1, player_version = left(player_version, -6) WHERE player_version LIKE '% muted';
--> statement-breakpoint
UPDATE ad_screens SET playing_time = last_report_time WHERE now_playing IS NOT NULL;
--> statement-breakpoint
DROP TRIGGER ad_screens_notify ON ad_screens;
--> statement-breakpoint
-- The size of a screen changes its SMIL index, so processes reload it. Other players choose their files themselves.
CREATE TRIGGER ad_screens_notify AFTER UPDATE OF player_token_hash, smil_key_hash, time_zone, volume, width, height ON ad_screens
  FOR EACH ROW WHEN (OLD.player_token_hash <> NEW.player_token_hash OR OLD.smil_key_hash <> NEW.smil_key_hash
    OR OLD.time_zone <> NEW.time_zone OR OLD.volume <> NEW.volume
    OR (NEW.smil_key_hash <> '' AND (OLD.width <> NEW.width OR OLD.height <> NEW.height)))
  EXECUTE FUNCTION oms_notify_ad('devices', 'device_id');
