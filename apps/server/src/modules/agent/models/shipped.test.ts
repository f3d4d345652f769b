import { isNumberField, isSecretField, findConfigProblems } from '@oms/contract/agent/models/model-config.ts'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { agentModels, agentProviders, agentSecrets } from '../schema/agent-model.ts'
import { useApp } from '#test/harness.ts'

const app = useApp()

test('AGENT-06 OMS ships models of each type without keys, with one default of each type', async () => {
  const rows = await app.db.select().from(agentModels)
  const counts = Object.fromEntries(
    [...Map.groupBy(rows, ({ type }) => type)].map(([type, list]) => [type, list.length]),
  )
  expect(counts).toEqual({ ASR: 16, LLM: 15, TTS: 21, VLLM: 2, Memory: 5, Intent: 3, VAD: 1, RAG: 1 })
  expect(
    rows
      .filter(({ isDefault }) => isDefault === 1)
      .map(({ code }) => code)
      .toSorted(),
  ).toEqual([
    'ASR_FunASR',
    'Intent_nointent',
    'LLM_ChatGLMLLM',
    'Memory_nomem',
    'RAG_RAGFlow',
    'TTS_EdgeTTS',
    'VAD_SileroVAD',
    'VLLM_ChatGLMVLLM',
  ])
  expect(await app.db.select().from(agentSecrets).where(eq(agentSecrets.ownerKind, 1))).toEqual([])
})

test('AGENT-06 every number of a shipped provider has a range', async () => {
  const providers = await app.db.select().from(agentProviders)
  const unlimited = providers.flatMap(({ type, code, fields }) =>
    fields
      .filter((field) => isNumberField(field) && field.min === undefined && field.max === undefined)
      .map(({ key }) => `${type} ${code} ${key}`),
  )
  expect(unlimited).toEqual([])
})

test('every shipped model configuration is valid for the fields of its provider', async () => {
  const providers = await app.db.select().from(agentProviders)
  const models = await app.db.select().from(agentModels)
  const problems = models.flatMap(({ type, code, providerCode, config }) => {
    const provider = providers.find((each) => each.type === type && each.code === providerCode)
    if (!provider) return [`${code}: provider`]
    const unknown = Object.keys(config).filter((key) => !provider.fields.some((field) => field.key === key))
    const secret = provider.fields.filter((field) => isSecretField(field) && field.key in config)
    const [problem] = findConfigProblems(provider.fields, config)
    return [...unknown, ...secret.map(({ key }) => key), ...(problem ? [problem.field] : [])].map(
      (key) => `${code}: ${key}`,
    )
  })
  expect(problems).toEqual([])
})
