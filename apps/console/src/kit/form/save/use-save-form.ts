import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { Form, type FormInstance } from 'antd'
import { useId, useRef, useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { useDraft } from '#core/auth/draft.ts'
import { useUnsaved } from '#core/routing/tab.tsx'
import { hasSameFields, selectAcceptedFields } from '#kit/form/form-values.ts'
import { focusFirstField } from './focus-first.ts'
import { afterUploads } from './running-uploads.ts'
import { useSaveError } from './use-refusal.ts'

export interface SaveOptions<E extends Endpoint> {
  /** Initial values; ids and `rev` are sent back although no field shows them. */
  readonly initial?: object | undefined
  /** Converts the form values to the endpoint's input when they differ. */
  readonly input?: (values: Record<string, unknown>) => InputOf<E>
  readonly onSaved?: (result: ResultOf<E>, input: InputOf<E>) => void
  /** Loads the record again after a conflict, as form values. */
  readonly latest?: () => Promise<object>
  /** Resources to refetch besides the endpoint's own resource. */
  readonly alsoChanges?: readonly string[]
  /** Draft key such as `ota:12`: input survives a reload or an ended session. */
  readonly draft?: string
}

/** Milliseconds after a save during which the same input is not sent again: a saved dialog is still closing. */
const CLOSING_MS = 2000

const LAYOUT = { layout: 'vertical', scrollToFirstError: { block: 'center', focus: true } } as const

/** Connects antd's Form to one endpoint: submit, loading state, field errors, conflicts, and the tab's unsaved mark. */
export function useSaveForm<E extends Endpoint>(endpoint: E, options: SaveOptions<E> = {}) {
  const [form] = Form.useForm()
  const name = `form${useId().replaceAll(/\W/g, '')}`
  const { draft, dirty, loaded, ...values } = useFormValues(endpoint, form, options)
  const load = (record: object) => {
    refusal.forget()
    values.load(record)
  }
  const rebase = (latest: object, merged: object) => {
    refusal.forget()
    values.rebase(latest, merged)
  }
  const refusal = useSaveError(endpoint, form, { latest: options.latest, loaded, rebase })
  const saved = (result: ResultOf<E>, input: InputOf<E>) => {
    values.onSaved()
    options.onSaved?.(result, input)
  }
  const { submit, isPending } = useSubmission(endpoint, options, { form, refusal, onSaved: saved })
  const onValuesChange = (changed: object) => {
    values.setKeptInput(true)
    revalidateChanged(form, changed)
  }
  return {
    dirty,
    saving: isPending,
    /** Properties of `<RestoredDraft />`, which every form with a draft shows. */
    draft: { restored: draft.restored, onStartOver: () => load(options.initial ?? {}) },
    forgetDraft: draft.clear,
    /** Form name for the button: `<Button htmlType="submit" form={name}>` also submits on Enter. */
    name,
    load,
    focusFirst: () => focusFirstField(document.getElementById(name)),
    form: { ...LAYOUT, form, name, initialValues: options.initial, ...afterUploads(form, submit), onValuesChange },
  }
}

/** Keeps the loaded record, the draft and the unsaved mark of a form. */
function useFormValues<E extends Endpoint>(endpoint: E, form: FormInstance, options: SaveOptions<E>) {
  const draft = useDraft(options.draft ?? '', form)
  const [dirty, setDirty] = useState(draft.restored)
  const unmark = useUnsaved(dirty)
  const [loaded, setLoaded] = useState(options.initial)
  const setKeptInput = (hasInput: boolean) => {
    setDirty(hasInput)
    if (!hasInput) draft.clear()
    else if (options.draft) draft.onValuesChange()
  }
  return {
    draft,
    dirty,
    loaded,
    setKeptInput,
    load: (values: object) => {
      form.resetFields()
      form.setFieldsValue(values)
      setLoaded(values)
      setKeptInput(false)
    },
    /**
     * Replaces the loaded record by the latest record, and fills the form with the merged values. The merged values
     * may contain input of the user.
     */
    rebase: (latest: object, merged: object) => {
      form.setFieldsValue(merged)
      setLoaded(latest)
      setKeptInput(!hasSameFields(endpoint, merged, latest))
    },
    onSaved: () => {
      unmark()
      setKeptInput(false)
    },
  }
}

interface Submission<E extends Endpoint> {
  readonly form: FormInstance
  readonly refusal: ReturnType<typeof useSaveError>
  onSaved(result: ResultOf<E>, input: InputOf<E>): void
}

/** Returns a function that sends the form values, and whether a request is pending. */
function useSubmission<E extends Endpoint>(
  endpoint: E,
  options: SaveOptions<E>,
  { form, refusal, onSaved }: Submission<E>,
) {
  const write = useWrite(endpoint, { quiet: true, alsoChanges: options.alsoChanges ?? [] })
  const justSaved = useRef<string>(undefined)
  const submit = (over: object = {}) => {
    const values: Record<string, unknown> = { ...form.getFieldsValue(true), ...over }
    const input = options.input?.(values) ?? (selectAcceptedFields(endpoint, values) as InputOf<E>)
    const sent = JSON.stringify(input)
    // A second Enter in the closing dialog would send an outdated revision, or create the record twice.
    if (justSaved.current === sent) return
    refusal.forget()
    write.mutate(input, {
      onSuccess: (result) => {
        justSaved.current = sent
        setTimeout(() => (justSaved.current = undefined), CLOSING_MS)
        onSaved(result, input)
      },
      onError: (error) => refusal.show(error, (rev) => submit({ rev })),
    })
  }
  return { submit, isPending: write.isPending }
}

/** Validates each changed field that shows an error, so that the error disappears with the first correct value. */
function revalidateChanged(form: FormInstance, changed: object) {
  const names = form.getFieldsError().flatMap(({ name, errors }) => (errors.length > 0 ? [name] : []))
  const wrong = names.filter((name) => isWithin(changed, name))
  // The errors are shown at their fields.
  if (wrong.length > 0) form.validateFields(wrong).catch(() => {})
}

function isWithin(changed: object, name: readonly (string | number)[]) {
  let part: unknown = changed
  for (const key of name) {
    if (typeof part !== 'object' || part === null || !(key in part)) return false
    part = (part as Record<string | number, unknown>)[key]
  }
  return true
}
