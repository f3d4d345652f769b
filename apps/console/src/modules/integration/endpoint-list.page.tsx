import { PlusOutlined } from '@ant-design/icons'
import {
  ENDPOINT_KIND,
  ENDPOINT_STATE_CODE,
  EndpointRow,
  nameOfEvent,
  webhooks,
} from '@oms/contract/integration/webhook.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { EndpointState } from './endpoint-state.tsx'

const EndpointForm = lazyAfterRender(() => import('./endpoint-form.tsx'), 'EndpointForm')
const EndpointDrawer = lazyAfterRender(() => import('./endpoint-drawer.tsx'), 'EndpointDrawer', {
  when: ({ row }) => row !== undefined,
})

export interface Secret {
  readonly name: string
  readonly secret: string
}

const KIND_OPTIONS = Object.entries(ENDPOINT_KIND).map(([value, label]) => ({ value, label }))
const QUERY = webhooks.list.input
const { col, actions } = createColumns(EndpointRow)
const COLUMNS = [
  col('name', { width: 130 }),
  col('state', (_, row) => <EndpointState row={row} />, { width: 110 }),
  col('kind', (kind) => ENDPOINT_KIND[kind], { width: 110 }),
  col('address', { width: 230 }),
  col('events', (events) => <Ellipsis text={events.map(nameOfEvent).join('、')} />, { width: 200 }),
  col('waiting', { width: 80, align: 'right' }),
  col('lastTime', time, { width: 150, hidden: true }),
  col('createTime', time, { width: 160, hidden: true }),
]

/** Lists the webhooks and robots that receive events. */
export default function EndpointListPage() {
  const list = useList(webhooks.list)
  const [edited, setEdited] = useState<EndpointRow | 'new'>()
  const [shown, setShown] = useState<EndpointRow>()
  const [secret, setSecret] = useState<Secret>()
  const actionsOf = useEndpointActions(setSecret)
  const add = (
    <Allowed to={webhooks.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
        新增推送
      </Button>
    </Allowed>
  )
  const rowActions = (row: EndpointRow) => (
    <RowActions
      items={[
        { label: '推送记录', onClick: () => setShown(row) },
        { label: '编辑', to: webhooks.update, onClick: () => setEdited(row) },
        ...actionsOf(row),
      ]}
    />
  )
  return (
    <Page>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="name" />
        <SelectFilter of={QUERY} name="kind" options={KIND_OPTIONS} />
        <SelectFilter of={QUERY} name="state" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 170)]}
        actions={add}
        empty={{
          text: '还没有消息推送',
          hint: '工单、发布、授权等事件可以推送到钉钉、飞书、企业微信群机器人，或贵公司的系统。',
          action: add,
        }}
        onOpen={setShown}
      />
      <EndpointDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {edited && <EndpointForm row={edited} onClose={() => setEdited(undefined)} onSecret={setSecret} />}
      {secret && (
        <OneTimeSecret
          title="签名密钥"
          owner="名称"
          account={secret.name}
          label="签名密钥"
          secret={secret.secret}
          hint="接收方用密钥验证请求确实来自 OMS（Standard Webhooks 规范）。"
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  )
}

/** Returns the actions in the menu of a row. */
function useEndpointActions(onSecret: (secret: Secret) => void) {
  const test = useWrite(webhooks.test)
  const pause = useWrite(webhooks.pause)
  const resume = useWrite(webhooks.resume)
  const rotate = useWrite(webhooks.rotate)
  const remove = useWrite(webhooks.remove)
  const onTest = async ({ id, name }: EndpointRow) => {
    const { isDone, httpStatus, answer, milliseconds } = await test.mutateAsync({ id })
    dialogs[isDone ? 'info' : 'warning']({
      title: isDone ? `「${name}」已收到测试消息` : `「${name}」没有收到测试消息`,
      content: (
        <>
          <p className="kit-muted">
            {httpStatus === null ? '没有响应' : `HTTP ${httpStatus}`} · {milliseconds} 毫秒
          </p>
          <p>{answer}</p>
        </>
      ),
    })
  }
  return (row: EndpointRow): (RowAction | false)[] => {
    const { id, name, kind, state } = row
    return [
      { label: '发送测试', to: webhooks.test, onClick: () => onTest(row) },
      state === ENDPOINT_STATE_CODE.active
        ? { label: '暂停', to: webhooks.pause, onClick: () => pause.mutateAsync({ id }) }
        : { label: '恢复', to: webhooks.resume, onClick: () => resume.mutateAsync({ id }) },
      kind === 'webhook' && {
        label: '更换密钥',
        to: webhooks.rotate,
        confirm: `为「${name}」生成新密钥？24 小时内，请求同时带有新旧两个密钥的签名。`,
        onClick: async () => onSecret({ name, secret: (await rotate.mutateAsync({ id })).secret }),
      },
      {
        label: '删除',
        to: webhooks.remove,
        danger: true,
        confirm: `删除「${name}」及其推送记录？待推送的消息不再推送。`,
        onClick: () => remove.mutateAsync({ id }),
      },
    ]
  }
}
