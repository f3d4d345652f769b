import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import type { FormInstance } from 'antd'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ApiError } from '#core/api/client.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { toast } from '#core/loading/toast.ts'
import { useTab } from '#core/routing/tab.tsx'
import { showApiError } from '#kit/feedback/show-api-error.ts'
import { hasSameFields, listConflicts, mergeEdits, toFieldPath } from '#kit/form/form-values.ts'
import { revealField } from '#kit/form/more-fields.tsx'
import { askConflict, describeConflict } from './conflict.tsx'

/**
 * Delay in milliseconds before the confirmation opens. Without the delay, a reopening dialog of the page would cover
 * the confirmation.
 */
const REOPEN_MS = 500
const CHECK_MS = 50
/** Code of an error without a response. */
const NO_ANSWER = 0
/**
 * Milliseconds for which the error is set again at its field after the page is shown, because a field that is rendered
 * again loses its error.
 */
const REDRAW_MS = 3000

type Retry = (rev: number) => void
type Values = Readonly<Record<string, unknown>>

interface Loading {
  readonly latest: (() => Promise<object>) | undefined
  /** Values that the form was opened with. */
  readonly loaded: object | undefined
  /** Continues the form on the latest record with merged values. */
  rebase(latest: object, merged: object): void
}

interface Refused {
  readonly refusal: ApiError
  readonly again: Retry
  readonly delay: number
  /** The values that the server refused, in the order of `refusal.fields`. An error does not apply to another value. */
  readonly values: readonly unknown[]
  /** The latest record after a conflict, when it could be loaded. */
  readonly now: object | undefined
}

/**
 * Shows a refused save at its field, or as an optimistic lock conflict. A hidden page has no fields and no dialogs: it
 * shows a toast at once, and the error or conflict when the page is shown again. The error is kept and set at its field
 * each time the page is shown, until the value is changed or saved.
 */
export function useSaveError(endpoint: Endpoint, form: FormInstance, loading: Loading) {
  const { latest, loaded } = loading
  const tab = useTab()
  const [refused, setRefused] = useState<Refused>()
  const showConflict = useConflict(endpoint, form, loading)
  const asked = useRef<Refused>(undefined)
  const ask = useEffectEvent((question: Refused) => {
    if (!question.refusal.conflict || asked.current === question) return
    asked.current = question
    showConflict(question.refusal.conflict, question)
  })
  // A page that is shown again runs its effects again.
  useEffect(() => {
    if (!refused) return undefined
    if (refused.refusal.field && !refused.refusal.conflict) return keepAtField(form, refused)
    const timer = setTimeout(() => ask(refused), refused.delay)
    return () => clearTimeout(timer)
  }, [form, refused])
  const refuse = (refusal: ApiError, again: Retry, now?: object) => {
    const isHidden = !tab.isShown()
    if (isHidden) toast.warning(`「${tab.title()}」未保存：${textOf(refusal)}`)
    else if (!refusal.conflict) showApiError(refusal, textOf(refusal))
    const values = refusal.fields.map(({ field }) => form.getFieldValue(toFieldPath(field)))
    setRefused({ refusal, again, values, now, delay: isHidden ? REOPEN_MS : 0 })
  }
  return {
    show: (refusal: ApiError, again: Retry) => {
      const { conflict } = refusal
      if (!conflict || !latest) return refuse(refusal, again)
      void latest().then(
        (now) => (isUnaffected(endpoint, form, loaded, now) ? again(conflict.rev) : refuse(refusal, again, now)),
        () => refuse(refusal, again),
      )
    },
    forget: () => setRefused(undefined),
  }
}

/** Returns a function that shows the conflict dialog. Without the latest record, the dialog offers no blind overwriting. */
function useConflict(endpoint: Endpoint, form: FormInstance, { latest, loaded = {}, rebase }: Loading) {
  const mayCall = useMayCall()
  return (conflict: NonNullable<ApiError['conflict']>, { again, now }: Refused) => {
    const reload = (record: object) => {
      const edited = form.getFieldsValue(true) as Values
      const merged = mergeEdits(loaded as Values, edited, record as Values)
      // A restored draft can have another revision than the loaded record.
      rebase(record, { ...merged, rev: readRevision(record) })
      markConflicts(form, listConflicts(loaded, edited, record), record as Values)
    }
    const mayOverwrite = mayCall(endpoint) && (now !== undefined || latest === undefined)
    askConflict(conflict, {
      reload: now && (() => reload(now)),
      overwrite: mayOverwrite ? () => again(readRevision(now) ?? conflict.rev) : undefined,
    })
  }
}

/** Marks the fields that both people changed. A mark with the text of the other person shows what would be overwritten. */
function markConflicts(form: FormInstance, paths: readonly string[][], record: Values) {
  const shown = new Set(Object.keys(form.getFieldsValue() as object))
  const marks = paths
    .filter(([first]) => shown.has(first!))
    .map((name) => {
      const other = name.reduce<unknown>((value, key) => (value as Values | undefined)?.[key], record)
      const isText = typeof other === 'string' && form.getFieldInstance(name)?.input instanceof HTMLInputElement
      return { name, warnings: [isText ? `此项已被修改为「${other}」，请核对` : '此项已被修改，请核对'] }
    })
  form.setFields(marks)
}

/** Returns the toast of a refused save. After a network or server failure it says that the form keeps the input. */
function textOf({ code, message, conflict }: ApiError) {
  if (conflict) return describeConflict(conflict).text
  const isFailure = code === NO_ANSWER || code === RESPONSE_CODE.failed
  return isFailure ? `${message.replace(/[!！。]$/, '')}。您填写的内容仍保留，可以再次保存。` : message
}

/** Returns true when the other person changed only fields that are not in the form, for example the status. */
const isUnaffected = (endpoint: Endpoint, form: FormInstance, loaded: object | undefined, now: object) =>
  loaded !== undefined && isEditOf(loaded, form) && hasSameFields(endpoint, loaded, now)

const readRevision = (record: object | undefined) => (record as { rev?: number } | undefined)?.rev

/** Returns true when the form edits the loaded revision, and the loaded record contains every field of the form. */
function isEditOf(loaded: object, form: FormInstance) {
  const fields = Object.keys(form.getFieldsValue() as object)
  const isSameRevision = form.getFieldValue('rev') === readRevision(loaded)
  return isSameRevision && fields.length > 0 && fields.every((field) => field in loaded)
}

/**
 * Sets each error at its field, and again when the field is rendered again. Moves the focus to the first field once:
 * afterwards the focus belongs to the user. Returns a function that stops this.
 */
function keepAtField(form: FormInstance, { refusal, values }: Refused) {
  const problems = refusal.fields.map(({ field, msg }, at) => ({ name: toFieldPath(field), msg, value: values[at] }))
  const until = Date.now() + REDRAW_MS
  let isFocused = false
  const check = () => {
    const open = problems.filter(({ name, value }) => form.getFieldValue(name) === value)
    if (open.length === 0 || Date.now() > until) return clearInterval(timer)
    const missing = open.filter(({ name }) => form.getFieldError(name).length === 0)
    if (missing.length === 0) return
    form.setFields(missing.map(({ name, msg }) => ({ name, errors: [msg] })))
    for (const { name } of missing) revealField(name)
    const first = problems[0]
    if (!isFocused && first && missing.includes(first)) form.scrollToField(first.name, { block: 'center', focus: true })
    isFocused = true
  }
  const timer = setInterval(check, CHECK_MS)
  return () => clearInterval(timer)
}
