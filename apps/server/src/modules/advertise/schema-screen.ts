import { sql } from 'drizzle-orm'
import {
  bigint,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, moment, tenantPolicy } from '#core/schema/columns.ts'

/** Screens that play ads, at most one per device. Reported columns are written at most once a minute. */
export const adScreens = pgTable(
  'ad_screens',
  {
    deviceId: integer().primaryKey(),
    tenantId: integer().notNull(),
    /** 1 web player, 2 native player, 3 SMIL player. */
    playerKind: smallint().notNull(),
    /** sha256 of the player's token; empty: none. */
    playerTokenHash: varchar({ length: 64 }).notNull().default(''),
    /** sha256 of the key in the address of the SMIL index; empty: none. */
    smilKeyHash: varchar({ length: 64 }).notNull().default(''),
    /** UUID of the first SMIL player of the screen. A player with another UUID is shown as a replaced player. */
    smilUuid: varchar({ length: 64 }).notNull().default(''),
    smilReplaced: smallint().notNull().default(0),
    playerVersion: varchar({ length: 64 }).notNull().default(''),
    /** Files of the SMIL index that the player requested last, as keys of `toMediaKey`. */
    smilMedia: varchar({ length: 24 }).array().notNull().default(sql`'{}'::varchar[]`),
    /** Files that the SMIL player downloaded, confirmed (304) or played, as keys of `toMediaKey`. */
    heldMedia: varchar({ length: 24 }).array().notNull().default(sql`'{}'::varchar[]`),
    /** Pixels; 0: unknown. A SMIL player does not report its size, so that a person enters the size. */
    width: integer().notNull().default(0),
    height: integer().notNull().default(0),
    /** Codecs that the player decodes; empty: unknown. */
    codecs: varchar({ length: 32 }).array().notNull().default(sql`'{}'::varchar[]`),
    /** IANA name; empty: the console's zone. */
    timeZone: varchar({ length: 40 }).notNull().default(''),
    audienceFactor: numeric({ precision: 6, scale: 2, mode: 'number' }).notNull().default(1),
    /** Percent. */
    volume: smallint().notNull().default(100),
    appliedEtag: varchar({ length: 64 }).notNull().default(''),
    readyFiles: integer().notNull().default(0),
    totalFiles: integer().notNull().default(0),
    failed: jsonb().$type<{ sha256: string; reason: string }[]>().notNull().default([]),
    /**
     * Time when the tenant was notified of the failed files. Null when no notice was sent, or when no file fails any
     * more.
     */
    failNoticeTime: moment(),
    /** Null: unknown. */
    freeBytes: bigint({ mode: 'number' }),
    clockOffsetMs: bigint({ mode: 'number' }),
    /** 0 not trusted, 1 corrected. */
    clockState: smallint().notNull().default(0),
    /** 0: the page was opened without HTTPS and cannot restart without network. */
    offlineReady: smallint().notNull().default(1),
    /** 1: the browser refuses to play sound. */
    muted: smallint().notNull().default(0),
    /** 1: another window covers the page, or its tab is in the background. */
    covered: smallint().notNull().default(0),
    nowPlaying: jsonb().$type<{ programId: number; itemId: number; adId: number; since: number }>(),
    /** Time of the report that contained `nowPlaying`. */
    playingTime: moment(),
    lastReportTime: moment(),
    ...audited,
  },
  (t) => [
    uniqueIndex('ad_screens_token').on(t.playerTokenHash).where(sql`player_token_hash <> ''`),
    uniqueIndex('ad_screens_smil').on(t.smilKeyHash).where(sql`smil_key_hash <> ''`),
    index('ad_screens_created').on(t.createTime, t.deviceId),
    index('ad_screens_tenant').on(t.tenantId, t.deviceId),
    index('ad_screens_failed')
      .on(t.tenantId, t.deviceId)
      .where(sql`failed <> '[]'::jsonb or fail_notice_time is not null`),
    index('ad_screens_report').on(t.lastReportTime.asc().nullsFirst(), t.deviceId),
    tenantPolicy(),
  ],
)

/**
 * Periods in which a device was a screen, with the tenant and the audience factor of the period. A change of the tenant
 * or of the factor begins a new period. A trigger on `ad_screens` writes the rows, so past statistics do not depend on
 * present screens.
 */
export const adScreenPeriods = pgTable(
  'ad_screen_periods',
  {
    deviceId: integer().notNull(),
    fromTime: moment().notNull(),
    /** Null: the period has not ended. */
    untilTime: moment(),
    tenantId: integer().notNull(),
    createBy: integer(),
    audienceFactor: numeric({ precision: 6, scale: 2, mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ name: 'ad_screen_periods_pk', columns: [t.deviceId, t.fromTime] }), tenantPolicy()],
)

/** Open pairings of web players: a code on the screen that a person enters in the console. */
export const adPairings = pgTable(
  'ad_pairings',
  {
    pairId: varchar({ length: 32 }).primaryKey(),
    secretHash: varchar({ length: 64 }).notNull(),
    /** Six characters without 0, O, 1, I and L. */
    code: varchar({ length: 6 }).notNull(),
    playerId: varchar({ length: 64 }).notNull(),
    width: integer().notNull().default(0),
    height: integer().notNull().default(0),
    codecs: varchar({ length: 32 }).array().notNull().default(sql`'{}'::varchar[]`),
    address: varchar({ length: 64 }).notNull(),
    /**
     * The device, and the encrypted token below it, of a pairing that a person confirmed with the code. The first
     * manifest call removes the row.
     */
    deviceId: integer(),
    tokenEncrypted: varchar({ length: 255 }).notNull().default(''),
    expireTime: moment().notNull(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('ad_pairings_code').on(t.code),
    index('ad_pairings_address').on(t.address),
    index('ad_pairings_expire').on(t.expireTime),
  ],
)
