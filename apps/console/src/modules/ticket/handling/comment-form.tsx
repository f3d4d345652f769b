import { CommentInput, feedback } from '@oms/contract/ticket/ticket.ts'
import { Button, Form } from 'antd'
import { NoteField } from '#kit/form/field.tsx'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { useSaveForm } from '#kit/form/save/use-save-form.ts'

/** Adds a remark to the timeline of a ticket without changing its status. */
export function CommentForm({ id }: { id: number }) {
  const save = useSaveForm(feedback.comment, {
    initial: { id, remark: '' },
    draft: `ticket-comment:${id}`,
    onSaved: () => save.load({ id, remark: '' }),
  })
  return (
    <Form {...save.form} className="ticket-comment">
      <RestoredDraft {...save.draft} />
      <NoteField of={CommentInput} name="remark" rows={2} hint="同事可见，不改变处理状态" />
      <Button htmlType="submit" loading={save.saving} disabled={!save.dirty}>
        添加备注
      </Button>
    </Form>
  )
}
