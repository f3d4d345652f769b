import type { DayPart, ManifestAd, ManifestItem, ManifestProgram } from '@oms/contract/advertise/engine/manifest.ts'
import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  date,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  serial,
  smallint,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, enabled, moment, softDelete, blocksDeletion, tenantPolicy } from '#core/schema/columns.ts'

/** State of the edited content of an ad, and of a submitted version. */
export const AD_STATUS = { draft: 0, submitted: 1, approved: 2, rejected: 3 } as const
/** Result of reading an uploaded file. */
export const PROBE_STATUS = { pending: 0, probed: 1, unusable: 2 } as const

interface StoredFileName {
  id: string
  name: string
  size: number
}

/** Facts that an auditor confirms and players do not need. */
export interface AdReview {
  orientation: number
  /** Milliseconds of one play; of video and audio the duration of the first file. */
  durationMs: number
  advertiser: string
  categoryId: number | null
  approvalNo: string
  proofs: { id: string; name: string; sha256: string }[]
  /** Uploaded covers of videos; absent without covers. */
  posters?: { id: string; sha256: string }[]
}
/** Content of a version: what players get, and the facts of the review. */
export type AdBody = ManifestAd & { review?: AdReview }

/** Limit of an item: wall time `yyyy-MM-dd HH:mm:ss` of each screen's zone, or null without a limit. */
export type ItemLimit = string | null
/** Item of a program as the tables store it. */
export type StoredProgramItem = Omit<ManifestItem, 'from' | 'to'> & { from: ItemLimit; to: ItemLimit }
/** Content of a published version. The manifest of a screen holds the limits of the items as instants. */
export type ProgramBody = Omit<ManifestProgram, 'items'> & { items: StoredProgramItem[] }

/** Ads with the content that is being edited. Screens play the approved row of `ad_versions`. */
export const ads = pgTable(
  'ads',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    adName: varchar({ length: 32 }).notNull(),
    /** `AD_TYPE` of the contract. */
    adType: smallint().notNull(),
    /** 0 any, 1 landscape, 2 portrait. */
    orientation: smallint().notNull().default(0),
    /** Seconds; of video and audio the duration of the file, rounded up. */
    duration: integer().notNull().default(10),
    linkUrl: varchar({ length: 255 }).notNull().default(''),
    text: jsonb().$type<ManifestAd['text']>(),
    advertiser: varchar({ length: 50 }).notNull().default(''),
    contractNo: varchar({ length: 50 }).notNull().default(''),
    /** Value of the dictionary `ad_category`. */
    categoryId: smallint(),
    approvalNo: varchar({ length: 50 }).notNull().default(''),
    approvalUntil: date({ mode: 'string' }),
    proofs: jsonb().$type<StoredFileName[]>().notNull().default([]),
    validFrom: date({ mode: 'string' }),
    validTo: date({ mode: 'string' }),
    tags: varchar({ length: 20 }).array().notNull().default(sql`'{}'::varchar[]`),
    /** Stored file of the thumbnail of the first material; empty: none. */
    thumb: varchar({ length: 32 }).notNull().default(''),
    /** State of the edited content: 0 draft, 1 submitted, 2 approved, 3 rejected. */
    auditStatus: smallint().notNull().default(0),
    /** Number of the newest version; 0: never submitted. */
    verNo: integer().notNull().default(0),
    /** Number of the version that plays; 0: none. */
    approvedVer: integer().notNull().default(0),
    enableStat: enabled(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    index('ads_created').on(t.createTime, t.id),
    index('ads_tenant').on(t.tenantId, t.id),
    index('ads_audit').on(t.auditStatus, t.id).where(sql`deleted_at is null`),
    index('ads_valid').on(t.validTo, t.id),
    tenantPolicy(),
  ],
)

/** Submitted versions of ads. `body` and `contentHash` are never edited; only the result of the review is added. */
export const adVersions = pgTable(
  'ad_versions',
  {
    adId: integer().notNull(),
    verNo: integer().notNull(),
    tenantId: integer().notNull(),
    body: jsonb().$type<AdBody>().notNull(),
    /** sha256 of the canonical JSON of the body; the body holds the sha256 of the files. */
    contentHash: varchar({ length: 64 }).notNull(),
    /** Accounts that uploaded the files of this version. None of them may approve the version. */
    uploaders: integer().array().notNull().default(sql`'{}'::integer[]`),
    submitBy: integer().notNull(),
    submitTime: moment().notNull().default(sql`now()`),
    /** 0 withdrawn, 1 submitted, 2 approved, 3 rejected. */
    auditStatus: smallint().notNull().default(1),
    auditBy: integer(),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
    /** Keys of the confirmed points of the checklist. */
    checks: varchar({ length: 20 }).array().notNull().default(sql`'{}'::varchar[]`),
  },
  (t) => [primaryKey({ name: 'ad_versions_pk', columns: [t.adId, t.verNo] }), tenantPolicy()],
)

/** Renditions of ads, read from the uploaded files. Rows of submitted versions are kept. */
export const adMaterials = pgTable(
  'ad_materials',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    /** Null until the ad is saved. */
    adId: integer(),
    sort: smallint().notNull().default(0),
    fileId: varchar({ length: 32 }).notNull(),
    fileName: varchar({ length: 255 }).notNull().default(''),
    sha256: varchar({ length: 64 }).notNull(),
    md5: varchar({ length: 32 }).notNull(),
    mime: varchar({ length: 64 }).notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    /** Width in pixels after rotation; 0: no picture. */
    width: integer().notNull().default(0),
    height: integer().notNull().default(0),
    rotation: smallint().notNull().default(0),
    durationMs: integer().notNull().default(0),
    codec: varchar({ length: 32 }).notNull().default(''),
    fps: numeric({ precision: 6, scale: 2, mode: 'number' }).notNull().default(0),
    bitrate: integer().notNull().default(0),
    hasAudio: smallint().notNull().default(0),
    thumbFileId: varchar({ length: 32 }).notNull().default(''),
    chunkHashes: varchar({ length: 64 }).array().notNull().default(sql`'{}'::varchar[]`),
    /** Single HTML document that the server made from a package; empty for other kinds. */
    pageFileId: varchar({ length: 32 }).notNull().default(''),
    /** Picture of a video that the uploading browser drew; the thumbnail is made of it. */
    posterFileId: varchar({ length: 32 }).notNull().default(''),
    /** `PROBE_STATE` of the contract. */
    probeState: smallint().notNull().default(0),
    /** Chinese reason why the file cannot be used. */
    probeError: varchar({ length: 200 }).notNull().default(''),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
    ...softDelete,
  },
  (t) => [
    index('ad_materials_ad').on(t.adId, t.sort),
    index('ad_materials_sha').on(t.sha256),
    index('ad_materials_file').on(t.fileId),
    tenantPolicy(),
  ],
)

/** Programs with the content that is being edited. Screens receive the version in force of `ad_program_versions`. */
export const adPrograms = pgTable(
  'ad_programs',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    programName: varchar({ length: 32 }).notNull(),
    description: varchar({ length: 200 }).notNull().default(''),
    items: jsonb().$type<StoredProgramItem[]>().notNull().default([]),
    playMode: smallint().notNull().default(1),
    priority: smallint().notNull().default(0),
    insertMode: smallint().notNull().default(0),
    shareOfVoice: smallint(),
    dateFrom: date({ mode: 'string' }).notNull(),
    dateTo: date({ mode: 'string' }).notNull(),
    weekdays: smallint().notNull().default(127),
    dayParts: jsonb().$type<DayPart[]>().notNull().default([]),
    /** 1 devices, 2 groups, 3 models, 4 tenants. */
    targetType: smallint().notNull().default(1),
    targetIds: integer().array().notNull().default(sql`'{}'::integer[]`),
    resolution: varchar({ length: 16 }).notNull().default(''),
    /** Seconds of all items. */
    totalDuration: integer().notNull().default(0),
    isDefault: smallint().notNull().default(0),
    /** Number of the newest version; 0: never published. */
    verNo: integer().notNull().default(0),
    /** Version in force; 0: none. Status 4 keeps the number and takes the program out of the manifests. */
    publishedVer: integer().notNull().default(0),
    /** 0 draft, 1 waits for approval, 2 delivering, 4 paused, 5 ended. 3 (delivered) is derived from `deliveredVer`. */
    status: smallint().notNull().default(0),
    /** Version that nearly all screens had; equal to `publishedVer`: delivered. */
    deliveredVer: integer().notNull().default(0),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('ad_programs_default').on(t.tenantId).where(sql`is_default = 1 and deleted_at is null`),
    index('ad_programs_created').on(t.createTime, t.id),
    index('ad_programs_tenant').on(t.tenantId, t.id),
    index('ad_programs_status').on(t.status, t.id).where(sql`deleted_at is null`),
    index('ad_programs_dates').on(t.dateFrom, t.id),
    check('ad_programs_dates_order', sql`date_from <= date_to`),
    tenantPolicy(),
  ],
)

/** Published versions of programs. `body`, the targets and the resolution are never edited. */
export const adProgramVersions = pgTable(
  'ad_program_versions',
  {
    programId: integer().notNull(),
    verNo: integer().notNull(),
    tenantId: integer().notNull(),
    body: jsonb().$type<ProgramBody>().notNull(),
    targetType: smallint().notNull(),
    targetIds: integer().array().notNull(),
    resolution: varchar({ length: 16 }).notNull().default(''),
    /** 1 waits for approval, 2 in force, 3 was in force, 4 rejected, 5 withdrawn before its approval. */
    state: smallint().notNull(),
    /** Number of screens at publishing. */
    screens: integer().notNull().default(0),
    publishBy: integer().notNull(),
    publishTime: moment().notNull().default(sql`now()`),
    auditBy: integer(),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
  },
  (t) => [
    primaryKey({ name: 'ad_program_versions_pk', columns: [t.programId, t.verNo] }),
    index('ad_program_versions_state').on(t.state, t.programId),
    tenantPolicy(),
  ],
)

/** Ads used by the edited content or by the version in force of a program. */
export const adUses = pgTable(
  'ad_uses',
  {
    programId: integer().notNull(),
    adId: integer().notNull(),
    tenantId: integer().notNull(),
  },
  (t) => [
    primaryKey({ name: 'ad_uses_pk', columns: [t.programId, t.adId] }),
    index('ad_uses_ad').on(t.adId),
    tenantPolicy(),
  ],
)
blocksDeletion(ads, adUses.adId, '个节目单引用')
