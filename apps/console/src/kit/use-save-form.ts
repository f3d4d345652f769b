import type { Endpoint, InputOf, ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { Form, type FormInstance } from 'antd'
import { useId, useState } from 'react'
import type { Refusal } from '#kernel/call.ts'
import { useDraft } from '#kernel/draft.ts'
import { useWrite } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { useUnsaved } from '#kernel/tab.tsx'
import { askConflict } from './conflict.tsx'
import { focusFirst } from './focus-first.ts'
import { fieldPath, sendable } from './form-values.ts'
import { tellRefusal } from './tell-refusal.ts'

export interface SaveOptions<E extends Endpoint> {
  /** What the form starts with; ids and `rev` among it travel back though no field shows them. */
  readonly initial?: object | undefined
  /** Turns the form's values into the endpoint's input, where they are not the same. */
  readonly input?: (values: Record<string, unknown>) => InputOf<E>
  readonly onSaved?: (result: ResultOf<E>) => void
  /** Fetches the record again after a conflict: its values replace the form's. */
  readonly latest?: () => Promise<object>
  /** Resources to refetch beside the endpoint's own. */
  readonly alsoChanges?: readonly string[]
  /** Keeps what is typed through a reload or an ended session, under this name: `ota:12`. */
  readonly draft?: string
}

const LAYOUT = { layout: 'vertical', scrollToFirstError: { block: 'center', focus: true } } as const

/** Wires antd's Form to one endpoint: submit, spinner, the refusal at its field, conflicts, and the unsaved mark of the tab. */
export function useSaveForm<E extends Endpoint>(endpoint: E, options: SaveOptions<E> = {}) {
  const [form] = Form.useForm()
  const name = `form${useId().replaceAll(/\W/g, '')}`
  const [dirty, setDirty] = useState(false)
  useUnsaved(dirty)
  const write = useWrite(endpoint, { quiet: true, alsoChanges: options.alsoChanges ?? [] })

  const draft = useDraft(options.draft ?? '', form)

  const load = (values: object) => {
    form.resetFields()
    form.setFieldsValue(values)
    setDirty(false)
  }
  const onError = useRefusal(endpoint, form, options.latest, load)
  const saved = (result: ResultOf<E>) => {
    setDirty(false)
    draft.clear()
    options.onSaved?.(result)
  }
  const submit = (over: object = {}) => {
    const values: Record<string, unknown> = { ...form.getFieldsValue(true), ...over }
    const input = options.input?.(values) ?? (sendable(endpoint, values) as InputOf<E>)
    write.mutate(input, { onSuccess: saved, onError: (refusal) => onError(refusal, (rev) => submit({ rev })) })
  }
  const onValuesChange = () => {
    setDirty(true)
    if (options.draft) draft.onValuesChange()
  }
  return {
    dirty,
    saving: write.isPending,
    /** The form opened with what was typed before: say so, and offer `forgetDraft` when it is given up. */
    restored: draft.restored,
    forgetDraft: draft.clear,
    /** For the button: `<Button htmlType="submit" form={name}>` also lets Enter save. */
    name,
    load,
    focusFirst: () => focusFirst(document.getElementById(name)),
    form: { ...LAYOUT, form, name, initialValues: options.initial, onFinish: () => submit(), onValuesChange },
  }
}

/** Shows a refused save: at its field, or as a conflict with the ways out of it. */
function useRefusal(
  { access }: Endpoint,
  form: FormInstance,
  latest: (() => Promise<object>) | undefined,
  load: (values: object) => void,
) {
  const can = useCan()
  return (refusal: Refusal, again: (rev: number) => void) => {
    const { conflict, field } = refusal
    if (conflict) {
      return askConflict(conflict, {
        reload: latest && (() => void latest().then(load, () => {})),
        overwrite: can(access) ? () => again(conflict.rev) : undefined,
      })
    }
    tellRefusal(refusal)
    if (field) showAtField(form, field, refusal.message)
  }
}

function showAtField(form: FormInstance, field: string, message: string) {
  const name = fieldPath(field)
  form.setFields([{ name, errors: [message] }])
  form.scrollToField(name, { block: 'center', focus: true })
}
