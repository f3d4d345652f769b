import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, serial, smallint, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import {
  audited,
  bytea,
  enabled,
  moment,
  remark,
  softDelete,
  blocksDeletion,
  tenantPolicy,
  tenantReadsPlatform,
} from '#core/schema/columns.ts'

/** Providers of models: each describes the form of its models. All tenants share them. */
export const agentProviders = pgTable(
  'agent_providers',
  {
    id: serial().primaryKey(),
    /** `MODEL_TYPE` of the contract, or `Plugin`. */
    type: varchar({ length: 16 }).notNull(),
    code: varchar({ length: 50 }).notNull(),
    name: varchar({ length: 50 }).notNull(),
    fields: jsonb().$type<ProviderField[]>().notNull().default([]),
    sort: integer().notNull().default(0),
    /** 1 for shipped rows, which cannot be deleted. */
    isBuiltin: smallint().notNull().default(0),
    ...audited,
  },
  (t) => [uniqueIndex('agent_providers_code').on(t.type, t.code)],
)

/** Configured models. Tenants also use the shared models of the platform. */
export const agentModels = pgTable(
  'agent_models',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    type: varchar({ length: 16 }).notNull(),
    /** Key of the model in the configuration of voice servers; unique in the installation. */
    code: varchar({ length: 32 }).notNull(),
    name: varchar({ length: 50 }).notNull(),
    providerCode: varchar({ length: 50 }).notNull(),
    /** Fields of the provider without secrets, and `type`, the provider's code. */
    config: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    isDefault: smallint().notNull().default(0),
    status: enabled(),
    sort: integer().notNull().default(0),
    docLink: varchar({ length: 200 }).notNull().default(''),
    remark: remark(),
    /** Fen per million tokens, per 10,000 characters or per hour, by the type. */
    priceIn: integer().notNull().default(0),
    priceOut: integer().notNull().default(0),
    /** 1: voice servers reach the model through OMS. */
    relay: smallint().notNull().default(0),
    fallbackModelId: integer(),
    /** 1: tenants may use this model of the platform. */
    shared: smallint().notNull().default(0),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('agent_models_code').on(t.code).where(sql`deleted_at is null`),
    uniqueIndex('agent_models_default').on(t.tenantId, t.type).where(sql`is_default = 1 and deleted_at is null`),
    index('agent_models_type').on(t.type, t.sort, t.id),
    index('agent_models_tenant').on(t.tenantId, t.id),
    tenantPolicy(),
    tenantReadsPlatform(sql`shared = 1`),
  ],
)

/** Secrets of models, plugins, context sources and parameters, encrypted with the installation's key. */
export const agentSecrets = pgTable(
  'agent_secrets',
  {
    /** 1 model, 2 agent, 3 parameter. */
    ownerKind: smallint().notNull(),
    /** Id of the model, of the agent, or of the tenant that owns the parameter. */
    ownerId: integer().notNull(),
    /** Field of the model, path in the agent, or code of the parameter. */
    field: varchar({ length: 100 }).notNull(),
    tenantId: integer().notNull(),
    encrypted: varchar({ length: 4000 }).notNull(),
    lastFour: varchar({ length: 4 }).notNull().default(''),
    /** SHA-256 of a secret with which callers authenticate; null for other secrets. */
    valueHash: bytea(),
    /** End of a replaced secret that is still accepted; null: no end. */
    validUntil: moment(),
    updateBy: integer(),
    updateTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ name: 'agent_secrets_pk', columns: [t.ownerKind, t.ownerId, t.field] }),
    uniqueIndex('agent_secrets_hash').on(t.valueHash).where(sql`value_hash is not null`),
    index('agent_secrets_tenant').on(t.tenantId, t.ownerKind),
    tenantPolicy(),
  ],
)

/** Voices of text-to-speech models. */
export const agentVoices = pgTable(
  'agent_voices',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    name: varchar({ length: 20 }).notNull(),
    /** The vendor's code of the voice. */
    code: varchar({ length: 50 }).notNull(),
    /** Names of languages, separated by `、`. */
    languages: varchar({ length: 50 }).notNull().default(''),
    demoFileId: varchar({ length: 32 }).notNull().default(''),
    demoUrl: varchar({ length: 500 }).notNull().default(''),
    referenceAudio: varchar({ length: 500 }).notNull().default(''),
    referenceText: varchar({ length: 500 }).notNull().default(''),
    sort: integer().notNull().default(0),
    status: enabled(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('agent_voices_code').on(t.tenantId, t.modelId, t.code).where(sql`deleted_at is null`),
    index('agent_voices_model').on(t.modelId, t.sort, t.id),
    index('agent_voices_sort').on(t.sort, t.id),
    index('agent_voices_created').on(t.createTime, t.id),
    index('agent_voices_tenant').on(t.tenantId, t.id),
    tenantPolicy(),
    tenantReadsPlatform(),
  ],
)
blocksDeletion(agentModels, agentVoices.modelId, '个音色')

/** Cloned voices. Each has the stated consent of its speaker. */
export const agentVoiceClones = pgTable(
  'agent_voice_clones',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    name: varchar({ length: 64 }).notNull(),
    /** The vendor's id of the voice. */
    voiceId: varchar({ length: 32 }).notNull().default(''),
    /** Recording of the speaker. */
    fileId: varchar({ length: 32 }).notNull().default(''),
    fileName: varchar({ length: 255 }).notNull().default(''),
    seconds: smallint().notNull().default(0),
    /** 0 waiting, 1 training, 2 done, 3 failed. */
    state: smallint().notNull().default(0),
    error: varchar({ length: 255 }).notNull().default(''),
    /** The speaker who consented, and when. */
    consentSpeaker: varchar({ length: 50 }).notNull(),
    consentTime: moment().notNull(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('agent_voice_clones_voice').on(t.modelId, t.voiceId).where(sql`deleted_at is null and voice_id <> ''`),
    index('agent_voice_clones_tenant').on(t.tenantId, t.id),
    index('agent_voice_clones_created').on(t.createTime, t.id),
    tenantPolicy(),
  ],
)
blocksDeletion(agentModels, agentVoiceClones.modelId, '个克隆音色')
