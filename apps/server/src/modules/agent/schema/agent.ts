import { sql } from 'drizzle-orm'
import {
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import {
  audited,
  enabled,
  moment,
  softDelete,
  blocksDeletion,
  tenantPolicy,
  tenantReadsPlatform,
} from '#core/schema/columns.ts'
import { agentVoiceClones, agentVoices } from './agent-model.ts'

interface AgentPlugin {
  providerCode: string
  params: Record<string, unknown>
}
interface ContextProvider {
  url: string
  headers: Record<string, string>
}

/** Columns that agents and templates share: models, voice, prompt, memory and plugins of the agent. */
const behaviour = {
  llmId: integer(),
  vllmId: integer(),
  /** Small LLM for titles and summaries. */
  slmId: integer(),
  ttsId: integer(),
  asrId: integer(),
  vadId: integer(),
  memId: integer(),
  intentId: integer(),
  voiceId: integer(),
  cloneId: integer(),
  ttsLanguage: varchar({ length: 50 }).notNull().default(''),
  /** −100 to 100; null: the value of the model. */
  ttsVolume: smallint(),
  ttsRate: smallint(),
  ttsPitch: smallint(),
  systemPrompt: varchar({ length: 2000 }).notNull().default(''),
  /** Stored content of conversations: 0 none, 1 text, 2 text and audio. */
  chatHistoryConf: smallint().notNull().default(2),
  /** Scope of the memory: 1 one memory per device, 2 one memory per agent. */
  memoryScope: smallint().notNull().default(1),
  langCode: varchar({ length: 10 }).notNull().default('zh'),
  language: varchar({ length: 10 }).notNull().default('中文'),
  plugins: jsonb().$type<AgentPlugin[]>().notNull().default([]),
  contextProviders: jsonb().$type<ContextProvider[]>().notNull().default([]),
}

/** Agents with the version in force. Secrets of plugins and context sources are in `agent_secrets`. */
export const agents = pgTable(
  'agents',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    agentCode: varchar({ length: 36 }).notNull(),
    agentName: varchar({ length: 64 }).notNull(),
    ...behaviour,
    /** Facts of the device that the agent gets as context; empty: none. */
    contextFacts: varchar({ length: 16 }).array().notNull().default(sql`'{}'::varchar[]`),
    /** Tools of OMS that the agent uses for its device; empty: none. */
    tools: varchar({ length: 16 }).array().notNull().default(sql`'{}'::varchar[]`),
    wordFileIds: integer().array().notNull().default(sql`'{}'::integer[]`),
    tags: varchar({ length: 20 }).array().notNull().default(sql`'{}'::varchar[]`),
    /** Shared memory of all devices, for `memoryScope` 2. */
    memory: varchar({ length: 2000 }).notNull().default(''),
    /** Time of the last change of the memory by a person. Null: no person has changed the memory. */
    memoryEditTime: moment(),
    /** Number of the version in force. */
    versionNo: integer().notNull().default(1),
    status: enabled(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('agents_code').on(t.agentCode),
    index('agents_tenant').on(t.tenantId, t.id),
    index('agents_created').on(t.createTime, t.id),
    index('agents_updated').on(t.updateTime, t.id),
    index('agents_name').on(sql`${t.agentName} collate oms_names nulls first`, t.id),
    index('agents_tags').using('gin', t.tags),
    index('agents_llm').on(t.llmId),
    index('agents_tts').on(t.ttsId),
    index('agents_voice').on(t.voiceId),
    tenantPolicy(),
  ],
)
blocksDeletion(agentVoices, agents.voiceId, '个智能体')
blocksDeletion(agentVoiceClones, agents.cloneId, '个智能体')

/** Versions of agents. The snapshot marks secrets instead of containing them. */
export const agentVersions = pgTable(
  'agent_versions',
  {
    agentId: integer().notNull(),
    versionNo: integer().notNull(),
    tenantId: integer().notNull(),
    snapshot: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Names of the fields that differ from the version before. */
    changed: varchar({ length: 50 }).array().notNull().default(sql`'{}'::varchar[]`),
    /** 1 create, 2 save, 3 restore, 4 template. */
    source: smallint().notNull(),
    note: varchar({ length: 200 }).notNull().default(''),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ name: 'agent_versions_pk', columns: [t.agentId, t.versionNo] }), tenantPolicy()],
)

/** Templates of agents. The template with the lowest `sort` is the default template. */
export const agentTemplates = pgTable(
  'agent_templates',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    templateName: varchar({ length: 64 }).notNull(),
    ...behaviour,
    sort: integer().notNull().default(0),
    status: enabled(),
    /** Number of agents that were created from the template. */
    useCount: integer().notNull().default(0),
    ...audited,
    ...softDelete,
  },
  (t) => [
    index('agent_templates_sort').on(t.sort, t.id),
    index('agent_templates_created').on(t.createTime, t.id),
    index('agent_templates_tenant').on(t.tenantId, t.id),
    tenantPolicy(),
    tenantReadsPlatform(),
  ],
)
blocksDeletion(agentVoices, agentTemplates.voiceId, '个模板')
blocksDeletion(agentVoiceClones, agentTemplates.cloneId, '个模板')

/** Columns of agents and templates that name a model. */
export const MODEL_COLUMNS = ['llmId', 'vllmId', 'slmId', 'ttsId', 'asrId', 'vadId', 'memId', 'intentId'] as const

/** Files of words that speech recognition mistakes, with their corrections. */
export const agentWordFiles = pgTable(
  'agent_word_files',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    name: varchar({ length: 256 }).notNull(),
    /** `from|to` a line. */
    lines: text().array().notNull().default(sql`'{}'::text[]`),
    ...audited,
    ...softDelete,
  },
  (t) => [
    index('agent_word_files_tenant').on(t.tenantId, t.id),
    index('agent_word_files_created').on(t.createTime, t.id),
    tenantPolicy(),
  ],
)
