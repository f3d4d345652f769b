import { PlusOutlined } from '@ant-design/icons'
import { desk, TemplateInput, type TemplateRow } from '@oms/contract/feedback-desk.ts'
import { Button, Drawer, Empty, Form, Input, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead, useWrite } from '#kernel/query.ts'
import { focusOpened } from '#kit/focus-first.ts'
import { NoteField, NumberField, TextField } from '#kit/field.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { LoadFailed } from '#kit/table-state.tsx'
import { useFormModal } from '#kit/use-form-modal.ts'
import { useKeyword } from '#kit/use-keyword.ts'
import './ticket.css'

type Template = z.output<typeof TemplateRow>

/** The canned remarks of one's own desk. */
export function Templates({ onClose }: { onClose(): void }) {
  const [keyword, setText] = useKeyword()
  const [edited, setEdited] = useState<Template | 'new'>()
  const [open, setOpen] = useState(true)
  const { data, error, refetch } = useRead(desk.templates, { keyword }, { quiet: true })
  const remove = useWrite(desk.removeTemplate)
  return (
    <Drawer
      title="备注模板"
      open={open}
      size="min(560px, 100vw)"
      onClose={() => setOpen(false)}
      afterOpenChange={(shown) => (shown ? focusOpened(shown) : onClose())}
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
      {data?.length === 0 && (
        <Empty
          image={Empty.PRESENTED_IMAGE_SIMPLE}
          description={keyword ? '没有符合条件的模板' : '还没有模板：把常写的处理备注存成模板，处理工单时一键插入'}
        />
      )}
      <ul className="ticket-template-list">
        {data?.map((template) => (
          <li key={template.id}>
            <div>
              <b>{template.title}</b>
              <p>{template.content}</p>
            </div>
            <RowActions
              items={[
                { label: '编辑', onClick: () => setEdited(template) },
                {
                  label: '删除',
                  danger: true,
                  confirm: `删除模板「${template.title}」？`,
                  onClick: () => remove.mutateAsync({ id: template.id }),
                },
              ]}
            />
          </li>
        ))}
      </ul>
      {edited && <TemplateForm {...(edited !== 'new' && { row: edited })} onClose={() => setEdited(undefined)} />}
    </Drawer>
  )
}

function TemplateForm({ row, onClose }: { row?: Template; onClose(): void }) {
  const endpoint = row ? desk.updateTemplate : desk.addTemplate
  const { modal, form } = useFormModal(endpoint as typeof desk.updateTemplate, { onClose, initial: row ?? { sort: 0 } })
  return (
    <Modal title={row ? '编辑模板' : '新增模板'} {...modal}>
      <Form {...form}>
        <TextField of={TemplateInput} name="title" />
        <NoteField of={TemplateInput} name="content" rows={4} />
        <NumberField of={TemplateInput} name="sort" min={0} max={9999} />
      </Form>
    </Modal>
  )
}
