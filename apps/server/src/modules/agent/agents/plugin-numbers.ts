import { findFieldProblem, isNumberField } from '@oms/contract/agent/models/model-config.ts'
import type { Db } from '#core/database/client.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { readPluginProviders } from './agent-secrets.ts'

interface Plugin {
  readonly providerCode: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Refuses numbers of plugins that do not fit the form definition of their provider. A number equal to that of `stored`
 * may lie outside its range.
 */
export async function assertPluginNumbers(db: Db, plugins: readonly Plugin[], stored: readonly Plugin[] = []) {
  if (plugins.length === 0) return
  const codes = plugins.map(({ providerCode }) => providerCode)
  const providers = new Map((await readPluginProviders(db, codes)).map((each) => [each.code, each]))
  const problems = new FieldProblems()
  plugins.forEach(({ providerCode, params }, at) => {
    const { name = '', fields = [] } = providers.get(providerCode) ?? {}
    const before = stored.find((each) => each.providerCode === providerCode)?.params ?? {}
    for (const field of fields.filter(isNumberField)) {
      const problem = findFieldProblem(field, params[field.key], fields, before[field.key])
      if (problem) problems.add(`plugins.${at}.params.${field.key}`, `插件「${name}」的${problem}`)
    }
  })
  problems.throwIfAny()
}
