import { PlusOutlined } from '@ant-design/icons'
import { ticketDesk, type ReplyTemplateRow, ReplyTemplateInput } from '@oms/contract/ticket/ticket-desk.ts'
import { Button, Drawer, Empty, Input, Skeleton, Form, Modal } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead, useWrite } from '#core/api/query.ts'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { RowActions } from '#kit/list/row-actions.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { call, ApiError } from '#core/api/client.ts'
import { NoteField, NumberField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

type Template = z.output<typeof ReplyTemplateRow>

/** Manages the remark templates of the current tenant. */
export function Templates({ onClose }: { onClose(): void }) {
  const [keyword, setText] = useKeyword()
  const [edited, setEdited] = useState<Template | 'new'>()
  const [open, setOpen] = useState(true)
  const remove = useWrite(ticketDesk.removeTemplate)
  const { data, error, refetch } = useRead(ticketDesk.templates, { keyword }, { quiet: true })
  return (
    <Drawer
      title="备注模板"
      open={open}
      size="min(560px, 100vw)"
      onClose={() => setOpen(false)}
      afterOpenChange={(shown) => (shown ? focusFirstFieldOnOpen(shown) : onClose())}
      extra={
        <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
          新增模板
        </Button>
      }
    >
      <Input
        allowClear
        placeholder="搜索标题或内容"
        aria-label="搜索模板"
        onChange={({ target }) => setText(target.value)}
      />
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active title={false} />}
      {data?.length === 0 && <NoTemplates keyword={keyword} />}
      <ul className="kit-items">
        {data?.map((template) => (
          <TemplateItem key={template.id} template={template} onEdit={setEdited} onRemove={remove.mutateAsync} />
        ))}
      </ul>
      {edited === 'new' && <TemplateAddForm onClose={() => setEdited(undefined)} />}
      {edited && edited !== 'new' && <TemplateEditForm id={edited.id} onClose={() => setEdited(undefined)} />}
    </Drawer>
  )
}

function NoTemplates({ keyword }: { keyword: string | undefined }) {
  return (
    <Empty description={keyword ? '没有符合条件的模板' : '还没有模板：把常写的处理备注存成模板，处理工单时一键插入'} />
  )
}

interface TemplateItemProps {
  readonly template: Template
  onEdit(template: Template): void
  onRemove(input: { id: number }): Promise<unknown>
}

function TemplateItem({ template, onEdit, onRemove }: TemplateItemProps) {
  return (
    <li className="kit-row">
      <div className="kit-main">
        <b>{template.title}</b>
        <p>{template.content}</p>
      </div>
      <RowActions
        items={[
          { label: '编辑', onClick: () => onEdit(template) },
          {
            label: '删除',
            danger: true,
            confirm: `删除模板「${template.title}」？`,
            onClick: () => onRemove({ id: template.id }),
          },
        ]}
      />
    </li>
  )
}

/** Creates a remark template. */
export function TemplateAddForm({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(ticketDesk.addTemplate, { onClose, initial: { sort: 0 } })
  return (
    <Modal title="新增模板" {...modal}>
      <Form {...form}>
        <Fields />
      </Form>
    </Modal>
  )
}

/** Edits a remark template. */
export function TemplateEditForm({ id, onClose }: { id: number; onClose(): void }) {
  return (
    <FreshRecord of={id} read={() => readTemplate(id)} title="编辑模板" onClose={onClose}>
      {(row) => <EditForm row={row} onClose={onClose} />}
    </FreshRecord>
  )
}

/** Loads one template; the list is the only call that returns the revision. */
async function readTemplate(id: number) {
  const templates = await call(ticketDesk.templates, {}, { quiet: true })
  return templates.find((each) => each.id === id) ?? Promise.reject(new ApiError(404, '该模板不存在或已被删除'))
}

function EditForm({ row, onClose }: { row: Template; onClose(): void }) {
  const latest = () => readTemplate(row.id)
  const { modal, form } = useFormModal(ticketDesk.updateTemplate, { onClose, initial: row, latest })
  return (
    <Modal title="编辑模板" {...modal}>
      <Form {...form}>
        <Fields />
      </Form>
    </Modal>
  )
}

const Fields = () => (
  <>
    <TextField of={ReplyTemplateInput} name="title" />
    <NoteField of={ReplyTemplateInput} name="content" rows={4} />
    <NumberField of={ReplyTemplateInput} name="sort" />
  </>
)
