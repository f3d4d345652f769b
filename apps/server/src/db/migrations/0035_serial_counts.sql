-- A page's worth of hits is enough to tell how many there may be; a bucket that is read is still counted up to two thousand.
CREATE OR REPLACE FUNCTION oms_serial_hits(part text, wanted integer, OUT ids integer[], OUT more_below bigint, OUT estimate bigint)
  LANGUAGE plpgsql STABLE STRICT SECURITY DEFINER
  SET search_path = public, pg_temp SET effective_io_concurrency = 0 SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off AS $$
DECLARE
  low text := lower(part);
  is_key boolean := length(part) = 4;
  -- The first and the last cover eight characters; more make it no rarer. The end of a serial says more than its head.
  head text := left(right(low, 8), 4);
  tail text := right(low, 4);
  wall integer := nullif(current_setting('oms.tenant', true), '');
  most integer := least(greatest(wanted * 20, 2000), 10001);
  newest bigint := coalesce((SELECT max(id) FROM devices), -1);
  buckets integer := (newest >> 20)::integer + 1;
  done integer := 0;
  batch integer := 1;
  counted bigint := 0;
  seen record;
BEGIN
  ids := '{}';
  WHILE done < buckets LOOP
    FOR seen IN
      SELECT b.bucket, d.hits, d.last, d.ids
      FROM (SELECT n AS bucket, lpad(to_hex(n), 3, '0') AS prefix
            FROM generate_series(buckets - done - 1, greatest(buckets - done - batch, 0), -1) n) b,
        LATERAL (
          SELECT count(*) AS hits, max(f.id) AS last, array_agg(f.id) FILTER (WHERE wall IS NULL OR f.tenant_id = wall) AS ids
          FROM (
            SELECT h.id, h.tenant_id FROM devices h
            WHERE oms_serial_keys(h.sn, h.id >> 20) @> ARRAY[b.prefix || head, b.prefix || tail]
              AND h.deleted_at IS NULL AND (is_key OR strpos(lower(h.sn), low) > 0)
            LIMIT most
          ) f
        ) d
      ORDER BY b.bucket DESC
    LOOP
      counted := counted + seen.hits;
      IF seen.hits = most THEN
        more_below := (seen.bucket + 1)::bigint << 20;
        -- Rows lie about in the order of their ids: what was read of this bucket begins at its lowest.
        estimate := counted * (newest + 1) / (greatest(newest + 1 - more_below, 0) + 1 + seen.last - (seen.bucket::bigint << 20));
        RETURN;
      END IF;
      ids := ids || seen.ids;
      IF counted >= wanted AND seen.bucket > 0 THEN
        more_below := seen.bucket::bigint << 20;
        estimate := counted * (newest + 1) / (newest + 1 - more_below);
        RETURN;
      END IF;
    END LOOP;
    done := done + batch;
    -- Not too far at once: what is rare among the newest may be what all older ones have.
    batch := least(ceil((wanted - counted) * done::numeric / greatest(counted, 1)), 4 * done);
  END LOOP;
END $$;
