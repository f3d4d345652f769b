import { DisposeFields } from '@oms/contract/ticket/ticket-input.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import {
  DISPOSE_STATUS,
  FEEDBACK_CLOSED,
  FEEDBACK_MESSAGES,
  FEEDBACK_SUSPENDED,
} from '@oms/contract/ticket/ticket-rows.ts'
import { Button, Form, Radio } from 'antd'
import { useEffect, useEffectEvent } from 'react'
import { useSession } from '#core/auth/session.tsx'
import { useWords } from '#kit/pickers/dict-words.tsx'
import { Field, NoteField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { useSaveForm } from '#kit/form/use-save-form.ts'
import { UserPicker } from '#kit/pickers/user-picker.tsx'
import { Checklists } from './checklists.tsx'
import type { TicketInfo } from '../ticket-head.tsx'
import { TemplateButton } from './template-button.tsx'
import { TICKET_STATUS_DICT } from '../ticket-tags.tsx'

/** Form that processes a ticket: status, handler, remark and checklists. */
export function DisposeForm({ info, onDirty }: { info: TicketInfo; onDirty(dirty: boolean): void }) {
  const save = useSaveForm(feedback.dispose, {
    initial: { status: 1, handlerId: info.handlerId ?? undefined, problemAttr: info.problemAttr, remark: '' },
    draft: `ticket:${info.id}:${info.version}`,
    input: (values) => inputOf(info, values),
  })
  const { form } = save.form
  const statuses = useWords(TICKET_STATUS_DICT, DISPOSE_STATUS).options
  useReportDirty(save.dirty, onDirty)
  const closes = Form.useWatch('status', form) === FEEDBACK_CLOSED
  const suspends = Form.useWatch('status', form) === FEEDBACK_SUSPENDED
  const onValuesChange = (changed: { status?: number }) => {
    save.form.onValuesChange(changed)
    if (changed.status === FEEDBACK_CLOSED) form.setFieldsValue({ handlerId: undefined })
  }
  return (
    <Form {...save.form} onValuesChange={onValuesChange} className="ticket-form">
      <RestoredDraft {...save.draft} />
      <Field of={DisposeFields} name="status">
        <Radio.Group optionType="button" buttonStyle="solid" options={statuses} className="ticket-statuses" />
      </Field>
      {!closes && (
        <HandlerField info={info} form={save.name} onTake={(uid) => form.setFieldsValue({ handlerId: uid })} />
      )}
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
      <Button type="primary" htmlType="submit" block loading={save.saving}>
        确认
      </Button>
    </Form>
  )
}

/**
 * Form field for the handler. The form validates it, because the schema requires a handler for every status except
 * closed.
 */
function HandlerField({ info, form, onTake }: { info: TicketInfo; form: string; onTake(uid: number): void }) {
  const uid = Number(useSession()?.uid)
  const chosen = info.handlerId ? { uid: info.handlerId, realname: info.handler } : undefined
  return (
    <Form.Item label="处理人员" htmlFor={`${form}_handlerId`} required>
      <div className="ticket-handler">
        <Form.Item
          name="handlerId"
          noStyle
          rules={[{ required: true, message: FEEDBACK_MESSAGES.handler }]}
          validateTrigger="onChange"
        >
          <UserPicker {...(chosen && { chosen })} />
        </Form.Item>
        <Button onClick={() => onTake(uid)}>由我处理</Button>
      </div>
    </Form.Item>
  )
}

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

function useReportDirty(dirty: boolean, onDirty: (dirty: boolean) => void) {
  const onDirtyChange = useEffectEvent(onDirty)
  useEffect(() => onDirtyChange(dirty), [dirty])
}
