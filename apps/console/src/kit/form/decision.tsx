import { about } from '@oms/contract/core/fields.ts'
import { Form, type FormInstance, Radio } from 'antd'
import type * as z from 'zod'
import { Field, type FieldOf } from './field.tsx'

/** Value and label of a decision about a request, the approval first. */
export type Decisions = readonly (readonly [value: number, label: string])[]

export const APPROVAL = [
  [1, '通过'],
  [0, '驳回'],
] as const satisfies Decisions

/** Radio buttons of an approval. No decision is preselected, so that a single press approves nothing. */
export const DecisionField = <S extends z.ZodObject>({ decisions, ...of }: FieldOf<S> & { decisions: Decisions }) => (
  <Field {...of}>
    <Radio.Group
      aria-label={about(of.of, of.name).title}
      options={decisions.map(([value, label]) => ({ value, label }))}
    />
  </Field>
)

/** Confirm button of an approval: names the chosen decision, and is red for a rejection. */
export function useDecisionButton(form: FormInstance, name: string, decisions: Decisions) {
  const chosen = Form.useWatch(name, form) as number | undefined
  const at = decisions.findIndex(([value]) => value === chosen)
  return { okText: decisions[at]?.[1] ?? '提交', danger: at > 0 }
}
