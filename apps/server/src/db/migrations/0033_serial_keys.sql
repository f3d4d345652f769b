-- Parts of serials among ten million. Every four neighbouring characters are a key of their own, once for each million
-- (2^20) of ids: a page reads the newest million that has enough of them, not every device with the part. A new device
-- writes where the last one did, so that no list of pending entries is needed, which every search would have to read.
CREATE FUNCTION oms_serial_keys(serial text, bucket integer) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  low text := lower(serial);
  prefix text := lpad(to_hex(bucket), 3, '0');
  keys text[] := '{}';
BEGIN
  FOR i IN 1..length(low) - 3 LOOP
    keys[i] := prefix || substr(low, i, 4);
  END LOOP;
  RETURN keys;
END $$;
--> statement-breakpoint
CREATE INDEX devices_sn_keys ON devices USING gin (oms_serial_keys(sn, id >> 20)) WITH (fastupdate = off);
--> statement-breakpoint
-- Devices with this part of at least four characters in their serials, from the newest bucket to the oldest until there
-- are as many as `wanted`. `ids` are all of them, in no order, down to `more_below`; below it there may be more, and
-- `estimate` says how many there are in all if they lie everywhere as they do where it looked. A bucket with very many
-- is only estimated. The function runs as the owner, because behind the wall no index on what a function makes of a row
-- may be used, and keeps that wall itself.
CREATE FUNCTION oms_serial_hits(part text, wanted integer, OUT ids integer[], OUT more_below bigint, OUT estimate bigint)
  LANGUAGE plpgsql STABLE STRICT SECURITY DEFINER
  SET search_path = public, pg_temp SET effective_io_concurrency = 0 SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off AS $$
DECLARE
  low text := lower(part);
  is_key boolean := length(part) = 4;
  wall integer := nullif(current_setting('oms.tenant', true), '');
  most integer := least(wanted * 10, 10001);
  newest bigint := coalesce((SELECT max(id) FROM devices), -1);
  counted bigint := 0;
  keys text[];
  seen record;
BEGIN
  ids := '{}';
  FOR bucket IN REVERSE (newest >> 20)::integer..0 LOOP
    -- The first and the last cover eight characters; more make it no rarer. The end of a serial says more than its head.
    keys := oms_serial_keys(right(low, 8), bucket);
    keys := ARRAY[keys[1], keys[cardinality(keys)]];
    SELECT count(*) AS hits, max(d.id) AS last, array_agg(d.id) FILTER (WHERE wall IS NULL OR d.tenant_id = wall) AS ids
    INTO seen
    FROM (
      SELECT h.id, h.tenant_id FROM devices h
      WHERE oms_serial_keys(h.sn, h.id >> 20) @> keys AND h.deleted_at IS NULL AND (is_key OR strpos(lower(h.sn), low) > 0)
      LIMIT most
    ) d;
    counted := counted + seen.hits;
    IF seen.hits = most THEN
      more_below := (bucket + 1)::bigint << 20;
      -- Rows lie about in the order of their ids: what was read of this bucket begins at its lowest.
      estimate := counted * (newest + 1) / (greatest(newest + 1 - more_below, 0) + 1 + seen.last - (bucket::bigint << 20));
      RETURN;
    END IF;
    ids := ids || seen.ids;
    IF counted >= wanted AND bucket > 0 THEN
      more_below := bucket::bigint << 20;
      estimate := counted * (newest + 1) / (newest + 1 - more_below);
      RETURN;
    END IF;
  END LOOP;
END $$;
--> statement-breakpoint
DROP INDEX devices_sn_quads;
--> statement-breakpoint
DROP FUNCTION oms_quads(text);
