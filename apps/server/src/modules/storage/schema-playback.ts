import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  index,
  integer,
  pgTable,
  primaryKey,
  serial,
  smallint,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, enabled, moment, softDelete, tenantPolicy } from '#core/schema/columns.ts'

/** Keys with which the back end of a tenant's App requests playback sessions for its users. */
export const ossAppKeys = pgTable(
  'oss_app_keys',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    keyName: varchar({ length: 32 }).notNull(),
    keyId: varchar({ length: 24 }).notNull(),
    /** Secret of the signatures, encrypted with the installation's key. */
    secretEncrypted: varchar({ length: 200 }).notNull(),
    /** Web origins that may call with the key's sessions from a browser (CORS). */
    origins: varchar({ length: 100 }).array().notNull().default(sql`'{}'`),
    status: enabled(),
    /** Raised by a trigger when the key is disabled, deleted or gets another secret: sessions with a lower epoch are over. */
    sessionEpoch: integer().notNull().default(0),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('oss_app_keys_key').on(t.keyId),
    uniqueIndex('oss_app_keys_name').on(t.tenantId, t.keyName).where(sql`deleted_at is null`),
    index('oss_app_keys_tenant').on(t.tenantId, t.id),
    tenantPolicy(),
  ],
)

/** Nonces of signed session requests. A second request with the same nonce is refused. */
export const ossAppNonces = pgTable(
  'oss_app_nonces',
  {
    keyId: varchar({ length: 24 }).notNull(),
    nonce: varchar({ length: 64 }).notNull(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ name: 'oss_app_nonces_pk', columns: [t.keyId, t.nonce] }),
    index('oss_app_nonces_time').on(t.createTime),
  ],
)

/** Consents of users to the viewing of their recordings by staff. A trigger permits no change but the withdrawal. */
export const ossConsents = pgTable(
  'oss_consents',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    deviceId: integer().notNull(),
    sn: varchar({ length: 64 }).notNull(),
    /** App account that owned the device at the time of the consent; null: none was bound. */
    appAccountId: integer(),
    /** 1 given in the App, 2 recorded by staff from a document. */
    source: smallint().notNull(),
    fileId: varchar({ length: 32 }),
    note: varchar({ length: 200 }).notNull().default(''),
    /** First and last time of the recordings that may be viewed. */
    rangeBegin: moment().notNull(),
    rangeEnd: moment().notNull(),
    /** Last time at which staff may view. */
    validUntil: moment().notNull(),
    uid: integer(),
    operName: varchar({ length: 30 }).notNull().default(''),
    withdrawTime: moment(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    index('oss_consents_tenant').on(t.tenantId, t.id),
    index('oss_consents_device').on(t.deviceId, t.id),
    index('oss_consents_created').on(t.createTime, t.id),
    index('oss_consents_valid').on(t.validUntil, t.id),
    tenantPolicy(),
  ],
)

/** Views of recordings by staff. Append-only; the owner of the device sees them in the App. */
export const ossViews = pgTable(
  'oss_views',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    deviceId: integer().notNull(),
    sn: varchar({ length: 64 }).notNull(),
    channel: smallint().notNull(),
    appAccountId: integer(),
    consentId: integer().notNull(),
    uid: integer().notNull(),
    operName: varchar({ length: 30 }).notNull(),
    reason: varchar({ length: 200 }).notNull(),
    beginMs: bigint({ mode: 'number' }).notNull(),
    endMs: bigint({ mode: 'number' }).notNull(),
    segments: integer().notNull(),
    ip: varchar({ length: 45 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    index('oss_views_tenant').on(t.tenantId, t.id),
    index('oss_views_device').on(t.deviceId, t.id),
    index('oss_views_owner').on(t.appAccountId, t.id),
    index('oss_views_consent').on(t.consentId),
    index('oss_views_created').on(t.createTime, t.id),
    tenantPolicy(),
  ],
)
