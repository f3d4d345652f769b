import { feedback } from '@oms/contract/ticket/ticket.ts'
import {
  FEEDBACK_CLOSED,
  TICKET_HANDLING_STATUS,
  FEEDBACK_MESSAGES,
  FEEDBACK_SUSPENDED,
  type ProblemPart,
} from '@oms/contract/ticket/ticket-rows.ts'
import { useState, useEffect, useEffectEvent, useRef, type ReactNode } from 'react'
import { useCan, useSession } from '#core/auth/session.tsx'
import { Panel } from '#kit/record/page.tsx'
import { ChosenProblems, Checklists } from './checklists.tsx'
import type { TicketInfo } from '../ticket-head.tsx'
import { DisposeFields } from '@oms/contract/ticket/ticket-input.ts'
import { Button, Form, type FormInstance, Radio, Empty, Input, Popover, Alert } from 'antd'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { mergeEdits } from '#kit/form/form-values.ts'
import { Field, NoteField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { useSaveForm } from '#kit/form/save/use-save-form.ts'
import { UserPicker } from '#kit/pickers/user-picker.tsx'
import { confirmDiscard } from '#kit/form/save/confirm-discard.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { TICKET_STATUS_DICT } from '../ticket.tsx'
import { copyToClipboard } from '#kit/record/copy-to-clipboard.ts'
import { dialogs } from '#core/loading/overlays.ts'

/** Returns true when the account may submit: it has the permission, and the ticket is unassigned or assigned to it. */
function useMayConfirm({ handlerId, mergedInto }: TicketInfo) {
  const uid = Number(useSession()?.uid)
  const can = useCan()
  return can(feedback.dispose.access) && (!handlerId || handlerId === uid) && mergedInto === null
}

/**
 * Processing form for accounts that may handle the ticket; other accounts see the chosen problem categories. The form stays
 * while it contains typed values, also when another account takes over the ticket.
 */
export function DisposePanel({ info, onTyping }: { info: TicketInfo; onTyping(typing: boolean): void }) {
  const [dirty, setDirty] = useState(false)
  const mayConfirm = useMayConfirm(info)
  const typed = (next: boolean) => {
    setDirty(next)
    onTyping(next)
  }
  if (!mayConfirm && !dirty) return <ChecklistsPanel info={info} />
  return (
    <Panel title={info.status === FEEDBACK_CLOSED ? '重新打开' : '处理工单'}>
      <DisposeForm info={info} refused={mayConfirm ? undefined : formatHandling(info)} onDirty={typed} />
    </Panel>
  )
}

/** Returns the reason why the account cannot handle the ticket. */
const formatHandling = ({ handlerId, handler, mergedInto }: TicketInfo) =>
  mergedInto ? '该工单已合并到其他工单' : handlerId ? `该工单由 ${handler} 处理` : '您没有处理工单的权限'

/** Shows the chosen problem categories read-only. */
function ChecklistsPanel({ info }: { info: TicketInfo }) {
  return (
    <Panel title="问题分类">
      <ChosenProblems value={info.problemAttr} />
      <p className="kit-muted">{formatHandling(info)}，您可以查看。</p>
    </Panel>
  )
}

interface DisposeFormProps {
  readonly info: TicketInfo
  /** Reason why the account can no longer submit the form; absent while it can. */
  readonly refused: string | undefined
  onDirty(dirty: boolean): void
}

/** Form that processes a ticket: status, handler, remark and checklists. */
export function DisposeForm({ info: latest, refused, onDirty }: DisposeFormProps) {
  const { save, info, behind, loadLatest, submit } = useTicketVersion(latest)
  const { form } = save.form
  const statuses = useDictLabels(TICKET_STATUS_DICT, TICKET_HANDLING_STATUS).options
  useReportDirty(save.dirty, onDirty)
  const closes = Form.useWatch('status', form) === FEEDBACK_CLOSED
  const suspends = Form.useWatch('status', form) === FEEDBACK_SUSPENDED
  const onValuesChange = (changed: { status?: number }) => {
    save.form.onValuesChange(changed)
    if (changed.status === FEEDBACK_CLOSED) form.setFieldsValue({ handlerId: undefined })
  }
  return (
    <Form {...save.form} onFinish={submit} onValuesChange={onValuesChange} className="ticket-form">
      <RestoredDraft {...save.draft} />
      <Field of={DisposeFields} name="status">
        <Radio.Group optionType="button" buttonStyle="solid" options={statuses} className="ticket-statuses" />
      </Field>
      {!closes && <HandlerField info={info} name={save.name} form={form} />}
      {suspends && <DateTimeField of={DisposeFields} name="suspendUntil" hint="到时提醒处理人员，可不填" />}
      <Form.Item name="problemAttr" label="问题分类">
        <Checklists />
      </Form.Item>
      <NoteField
        of={DisposeFields}
        name="remark"
        rows={3}
        hint={<TemplateButton onPick={(text) => appendTemplate(form, text)} />}
      />
      <DisposeFoot
        saving={save.saving}
        refused={refused}
        behind={behind}
        remark={() => String(form.getFieldValue('remark') ?? '').trim()}
        onLoadLatest={loadLatest}
        onDiscard={() => confirmDiscard(() => save.load(valuesOf(latest)))}
      />
    </Form>
  )
}

/**
 * Form field for the handler. The form validates it, because the schema requires a handler for every status except
 * closed.
 */
function HandlerField({ info, name, form }: { info: TicketInfo; name: string; form: FormInstance }) {
  const uid = Number(useSession()?.uid)
  const chosen = info.handlerId ? { uid: info.handlerId, realname: info.handler } : undefined
  return (
    <Form.Item label="处理人员" htmlFor={`${name}_handlerId`} required>
      <div className="ticket-handler">
        <Form.Item
          name="handlerId"
          noStyle
          rules={[{ required: true, message: FEEDBACK_MESSAGES.handler }]}
          validateTrigger="onChange"
        >
          <UserPicker forTickets {...(chosen && { chosen })} />
        </Form.Item>
        <Button onClick={() => form.setFieldsValue({ handlerId: uid })}>由我处理</Button>
      </div>
    </Form.Item>
  )
}

const valuesOf = ({ handlerId, problemAttr }: TicketInfo) => ({
  status: FIRST_STATUS,
  handlerId: handlerId ?? undefined,
  problemAttr,
  remark: '',
})

const inputOf = ({ id, version }: TicketInfo, values: Record<string, unknown>) => {
  const { status, handlerId, problemAttr, remark, suspendUntil } = values
  return {
    feedbackId: id,
    version,
    status,
    remark,
    problemAttr: JSON.stringify(problemAttr),
    ...(status !== FEEDBACK_CLOSED && { handlerId }),
    ...(status === FEEDBACK_SUSPENDED && { suspendUntil }),
  } as never
}

/** Appends a template to the remark. The field refuses a text above its limit, so nothing typed is cut off. */
function appendTemplate(form: ReturnType<typeof Form.useForm>[0], text: string) {
  const before = String(form.getFieldValue('remark') ?? '')
  form.setFieldsValue({ remark: `${before}${before ? '\n' : ''}${text}` })
}

/**
 * Returns the form and the version of the ticket that the form edits. A newer version replaces the values of an unchanged
 * form. A form with typed values keeps its version until `loadLatest`, which changes only the fields that the user has
 * not changed.
 */
function useTicketVersion(latest: TicketInfo) {
  const [info, setInfo] = useState(latest)
  const save = useSaveForm(feedback.dispose, {
    initial: valuesOf(info),
    draft: `ticket:${info.id}:${info.version}`,
    input: (values) => inputOf(info, values),
  })
  const { form, onValuesChange } = save.form
  const isBehind = info.version !== latest.version
  if (isBehind && !save.dirty) setInfo(latest)
  const shown = useRef(info.version)
  const showVersion = useEffectEvent(() => {
    if (shown.current === info.version) return
    shown.current = info.version
    // The draft of another version has another key, under which the typed values are stored again.
    if (save.dirty) onValuesChange({})
    else save.load(valuesOf(info))
  })
  useEffect(() => showVersion(), [info.version])
  const loadLatest = () => {
    save.forgetDraft()
    form.setFieldsValue(mergeEdits(valuesOf(info), form.getFieldsValue(true), valuesOf(latest)))
    setInfo(latest)
  }
  const { submit, isSent } = useSubmit(save.form, info.status)
  // A repeated submission whose response was lost returns the stored response.
  const canResend = latest.isOwnChange && latest.version === info.version + 1 && isSent()
  const behind = isBehind && save.dirty ? { isOwn: latest.isOwnChange, canResend } : undefined
  return { save, info, behind, loadLatest, submit }
}

/**
 * Returns a submit function that asks before an undescribed closing and before an unintended status, and whether the
 * current values were sent before. `current` is the status of the ticket.
 */
function useSubmit(
  { form, onFinish }: Pick<ReturnType<typeof useSaveForm>['form'], 'form' | 'onFinish'>,
  current: number,
) {
  const statusWords = useDictLabels(TICKET_STATUS_DICT, TICKET_HANDLING_STATUS)
  const [sent, setSent] = useState<string>()
  const read = () => JSON.stringify(form.getFieldsValue(true))
  const send = () => {
    setSent(read())
    onFinish()
  }
  const submit = () => {
    const values = form.getFieldsValue(true) as { status?: number; remark?: string }
    if (sent === read()) send()
    else if (values.status === FEEDBACK_CLOSED) confirmClose(values, send)
    else
      confirmStatus(
        { current, chosen: values.status, isTouched: form.isFieldTouched('status') },
        statusWords.label,
        send,
      )
  }
  const values = Form.useWatch((all) => JSON.stringify(all), { form, preserve: true })
  return { submit, isSent: () => sent !== undefined && values !== undefined && sent === read() }
}

function useReportDirty(dirty: boolean, onDirty: (dirty: boolean) => void) {
  const onDirtyChange = useEffectEvent(onDirty)
  useEffect(() => onDirtyChange(dirty), [dirty])
}

/** Searches remark templates and passes the selected text to the form. */
function TemplateButton({ onPick }: { onPick(text: string): void }) {
  const [open, setOpen] = useState(false)
  const pick = (text: string) => {
    onPick(text)
    setOpen(false)
  }
  return (
    <Popover
      trigger="click"
      open={open}
      onOpenChange={setOpen}
      destroyOnHidden
      placement="bottomLeft"
      content={<TemplateChoices onPick={pick} />}
    >
      <Button type="link" size="small" className="ticket-serial">
        插入模板
      </Button>
    </Popover>
  )
}

function TemplateChoices({ onPick }: { onPick(text: string): void }) {
  const [keyword, setText] = useKeyword()
  const read = useRead(ticketDesk.templates, { keyword }, { quiet: true })
  const { data } = read
  return (
    <div className="ticket-templates">
      <Input
        autoFocus
        allowClear
        placeholder="搜索模板"
        aria-label="搜索模板"
        onChange={({ target }) => setText(target.value)}
      />
      {!data && <Waiting reads={[read]} rows={2} />}
      {data?.length === 0 && <Empty description="没有模板" />}
      <ul className="kit-plain">
        {data?.map(({ id, title, content }) => (
          <li key={id}>
            <button type="button" className="pop-item" onClick={() => onPick(content)}>
              <b>{title}</b>
              <small className="pop-reason">{content}</small>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface DisposeFootProps {
  readonly saving: boolean
  /** Reason why this account can no longer submit the form; absent while it can. */
  readonly refused: string | undefined
  /** True when a newer version of the ticket exists. `isOwn`: this account made the change. */
  readonly behind: { readonly isOwn: boolean; readonly canResend: boolean } | undefined
  remark(): string
  onLoadLatest(): void
  onDiscard(): void
}

/**
 * Submit button of the processing form, with the reason beside the button when the form cannot be submitted. The typed
 * remark can be copied then.
 */
function DisposeFoot({ saving, refused, behind, remark, onLoadLatest, onDiscard }: DisposeFootProps) {
  const isBlocked = refused !== undefined || (behind !== undefined && !behind.canResend)
  return (
    <div className={isBlocked ? 'ticket-foot-blocked' : undefined}>
      {refused !== undefined ? (
        <Notice title={`${refused}，您填写的内容不能提交`}>
          {remark() !== '' && (
            <Button size="small" onClick={() => void copyToClipboard(remark())}>
              复制备注
            </Button>
          )}
          <Button size="small" onClick={onDiscard}>
            放弃填写
          </Button>
        </Notice>
      ) : (
        behind && (
          <Notice title={describeBehind(behind)}>
            {!behind.canResend && (
              <Button size="small" onClick={onLoadLatest}>
                加载最新
              </Button>
            )}
          </Notice>
        )
      )}
      <Button type="primary" htmlType="submit" block loading={saving} disabled={isBlocked}>
        提交处理
      </Button>
    </div>
  )
}

const describeBehind = ({ isOwn, canResend }: { isOwn: boolean; canResend: boolean }) =>
  canResend
    ? '您的上次提交可能已保存，请再次确认'
    : isOwn
      ? '您已更新该工单，提交前请加载最新内容'
      : '该工单刚被他人更新，提交前请加载最新内容'

const Notice = ({ title, children }: { title: string; children: ReactNode }) => (
  <Alert
    type="warning"
    showIcon
    className="kit-note"
    title={title}
    action={<span className="kit-row">{children}</span>}
  />
)

interface Closing {
  readonly remark?: string
  readonly problemAttr?: Readonly<Record<ProblemPart, readonly string[]>>
}

/** Returns the names of the empty fields that describe how the ticket was solved. */
const listMissingAtClose = ({ remark = '', problemAttr }: Closing) => [
  ...(remark.trim() === '' ? ['处理备注'] : []),
  ...(Object.values(problemAttr ?? {}).every((ticked) => ticked.length === 0) ? ['问题分类'] : []),
]

/** Asks once before a ticket is closed without a remark or a problem category. */
function confirmClose(values: Closing, onClose: () => void) {
  const missing = listMissingAtClose(values)
  if (missing.length === 0) return onClose()
  dialogs.confirm({
    title: '关闭工单？',
    content: `未填写：${missing.join('、')}。`,
    okText: '关闭工单',
    cancelText: '继续填写',
    onOk: onClose,
  })
}

/** Status that the form shows at first, as the specification demands. */
const FIRST_STATUS = 1

/**
 * Asks before the initial status of the form replaces a later status that the handler has not changed. `label` returns
 * the name of a status on the screen.
 */
function confirmStatus(
  { current, chosen, isTouched }: { current: number; chosen: number | undefined; isTouched: boolean },
  label: (status: number) => string,
  onConfirm: () => void,
) {
  const isLater = current > FIRST_STATUS && current < FEEDBACK_CLOSED
  if (isTouched || chosen !== FIRST_STATUS || !isLater) return onConfirm()
  const [from, to] = [label(current), label(FIRST_STATUS)]
  dialogs.confirm({
    title: `处理状态从「${from}」改为「${to}」？`,
    content: '未选择处理状态，表单的初始状态会覆盖工单当前的状态。',
    okText: `改为「${to}」`,
    cancelText: '返回选择',
    onOk: onConfirm,
  })
}
