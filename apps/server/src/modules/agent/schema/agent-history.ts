import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, moment, tenantPolicy } from '#core/schema/columns.ts'

/** Conversations of devices with agents. */
export const agentSessions = pgTable(
  'agent_sessions',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    /** Id that the voice server gave. */
    sessionId: varchar({ length: 50 }).notNull(),
    deviceId: integer().notNull(),
    agentId: integer().notNull(),
    versionNo: integer().notNull().default(0),
    title: varchar({ length: 255 }).notNull().default(''),
    firstTime: moment().notNull().default(sql`now()`),
    lastTime: moment().notNull().default(sql`now()`),
    turns: integer().notNull().default(0),
    characters: integer().notNull().default(0),
    seconds: numeric({ precision: 10, scale: 1, mode: 'number' }).notNull().default(0),
    tokens: integer().notNull().default(0),
    endTime: moment(),
  },
  (t) => [
    uniqueIndex('agent_sessions_session').on(t.tenantId, t.sessionId),
    index('agent_sessions_id').on(t.sessionId),
    index('agent_sessions_tenant').on(t.tenantId, t.lastTime, t.id),
    index('agent_sessions_agent').on(t.agentId, t.lastTime, t.id),
    index('agent_sessions_device').on(t.deviceId, t.lastTime, t.id),
    index('agent_sessions_time').on(t.lastTime, t.id),
    tenantPolicy(),
  ],
)

/** Turns of conversations. Partitioned by `report_time`, one month a partition; retention drops a partition. */
export const agentTurns = pgTable(
  'agent_turns',
  {
    /** Time of the turn as the voice server reports it. */
    reportTime: moment().notNull(),
    id: bigserial({ mode: 'number' }).notNull(),
    tenantId: integer().notNull(),
    /** `agent_sessions.id`. */
    sessionRowId: bigint({ mode: 'number' }).notNull(),
    deviceId: integer().notNull(),
    agentId: integer().notNull(),
    /** 1 user, 2 agent, 3 tool. */
    kind: smallint().notNull(),
    /** Empty when the agent stores no text. */
    content: text().notNull().default(''),
    /**
     * First half of a keyed hash (HMAC-SHA-256) of the reported content, by which a repeated report of a turn is
     * recognised.
     */
    contentMd5: varchar({ length: 32 }).notNull(),
    characters: integer().notNull().default(0),
    /** Name of the recognised speaker; empty: none. */
    speaker: varchar({ length: 64 }).notNull().default(''),
    /** Stored file of the audio; empty: none. */
    audioId: varchar({ length: 32 }).notNull().default(''),
    seconds: numeric({ precision: 7, scale: 1, mode: 'number' }).notNull().default(0),
  },
  (t) => [
    primaryKey({ name: 'agent_turns_pk', columns: [t.reportTime, t.id] }),
    uniqueIndex('agent_turns_once').on(t.sessionRowId, t.kind, t.reportTime, t.contentMd5),
    index('agent_turns_session').on(t.sessionRowId, t.reportTime, t.id),
    index('agent_turns_device').on(t.deviceId, t.reportTime),
    index('agent_turns_agent').on(t.agentId, t.kind, t.reportTime),
    index('agent_turns_speaker').on(t.agentId, t.speaker, t.reportTime).where(sql`speaker <> ''`),
    index('agent_turns_audio').on(t.audioId).where(sql`audio_id <> ''`),
    // Retention of each tenant reads only the rows that it deletes.
    index('agent_turns_tenant').on(t.tenantId, t.reportTime),
    index('agent_turns_audio_age').on(t.tenantId, t.reportTime).where(sql`audio_id <> ''`),
    tenantPolicy(),
  ],
)

/** Tasks after the end of a session: the title, and the summary for the memory. */
export const agentSessionTasks = pgTable(
  'agent_after',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    /** `agent_sessions.id`. */
    sessionRowId: bigint({ mode: 'number' }).notNull(),
    /** 1 title, 2 summary. */
    kind: smallint().notNull(),
    /** 0 waiting, 1 running, 2 done, 3 failed. */
    state: smallint().notNull().default(0),
    tries: smallint().notNull().default(0),
    error: varchar({ length: 300 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
    /** Earliest time of the next run. For a running row, the end of its lease. */
    nextTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('agent_after_once').on(t.sessionRowId, t.kind),
    index('agent_after_open').on(t.nextTime, t.id).where(sql`state < 2`),
    index('agent_after_time').on(t.createTime),
    tenantPolicy(),
  ],
)

/** Speakers that an agent recognises. The voiceprint service knows each by the id of its row. */
export const agentVoiceprints = pgTable(
  'agent_voiceprints',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    agentId: integer().notNull(),
    name: varchar({ length: 50 }).notNull(),
    introduction: varchar({ length: 100 }).notNull().default(''),
    /** Turn whose audio was enrolled. */
    turnId: bigint({ mode: 'number' }),
    audioId: varchar({ length: 32 }).notNull().default(''),
    ...audited,
  },
  (t) => [
    uniqueIndex('agent_voiceprints_name').on(t.agentId, t.name),
    index('agent_voiceprints_tenant').on(t.tenantId, t.id),
    index('agent_voiceprints_created').on(t.createTime, t.id),
    tenantPolicy(),
  ],
)
