import { findParam } from '@oms/contract/agent/parameters/param-list.ts'
import { agentParams, PARAM_SOURCE, ParamRow } from '@oms/contract/agent/parameters/params.ts'
import { normalizeLine } from '@oms/contract/core/normalize-line.ts'
import { Input, Tag } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { accessToRow, useSession } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useRows } from '#kit/list/use-rows.ts'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import './params.css'

const ParamEditForm = lazyAfterRender(() => import('./param-dialogs.tsx'), 'ParamEditForm')
const ParamReveal = lazyAfterRender(() => import('./param-dialogs.tsx'), 'ParamReveal')

/** Calls of the row actions. */
const CALLS = [agentParams.update, agentParams.reveal, agentParams.reset]
const { col, actions } = createColumns(ParamRow)
const SOURCE_COLOUR: Readonly<Record<number, string>> = { 1: 'blue', 2: 'purple', 3: 'default' }
const SERVER_SECRET = 'server.secret'

interface ParamInput {
  readonly tenantId?: number
}
interface Layer {
  readonly what: 'edit' | 'reveal'
  readonly row: ParamRow
}

/** Lists all parameters with the source of each value. */
export function ParamTable({ input }: { input: ParamInput }) {
  const { table } = useRows(agentParams.get)
  const [layer, setLayer] = useState<Layer>()
  const [keyword, setKeyword] = useState('')
  const found = table.rows.filter((row) => matches(row, keyword))
  const close = () => setLayer(undefined)
  const isPlatform = useSession()?.ownerId === '1' && input.tenantId === undefined
  const calls = CALLS.map((each) => accessToRow(each, isPlatform))
  const columns = [
    col('code', (_, row) => <Code row={row} />, { width: 240 }),
    col('value', (value, row) => <Value value={value} row={row} />, { width: 240 }),
    col('source', (source) => <Tag color={SOURCE_COLOUR[source] ?? 'default'}>{PARAM_SOURCE[source as 1]}</Tag>, {
      width: 80,
    }),
    col('remark', { width: 110 }),
    col('updateTime', time, { width: 165 }),
    actions((row) => <Actions row={row} input={input} onOpen={setLayer} />, 165, calls),
  ]
  return (
    <>
      <DataTable<ParamRow>
        {...table}
        rows={found}
        total={found.length}
        filtered={table.filtered || keyword !== ''}
        onClear={() => setKeyword('')}
        rowKey="code"
        columns={columns}
        actions={<ParamSearch value={keyword} onChange={setKeyword} />}
      />
      {layer?.what === 'edit' && <ParamEditForm row={layer.row} tenantId={input.tenantId} onClose={close} />}
      {layer?.what === 'reveal' && <ParamReveal row={layer.row} tenantId={input.tenantId} onClose={close} />}
    </>
  )
}

interface SearchProps {
  readonly value: string
  onChange(value: string): void
}

/** Searches the loaded parameters, because the call returns all of them. */
const ParamSearch = ({ value, onChange }: SearchProps) => (
  <Input
    allowClear
    className="param-search"
    aria-label="搜索参数"
    placeholder="按编码、说明或备注搜索"
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)

function matches({ code, title, remark }: ParamRow, keyword: string) {
  const wanted = normalizeLine(keyword).toLowerCase()
  return [code, title, remark].some((text) => text.toLowerCase().includes(wanted))
}

const Code = ({ row: { code, title } }: { row: ParamRow }) => (
  <span className="param-code">
    <code>{code}</code>
    <small className="kit-muted">{title}</small>
  </span>
)

/** Formats a value: booleans and choices as their Chinese labels. */
export function formatParameter(code: string, value: string): string {
  const param = findParam(code)
  if (param?.type === 'boolean') return value === 'true' ? '是' : '否'
  return param?.choices?.[value] ?? value
}

function Value({ value, row }: { value: string; row: ParamRow }) {
  if (value === '') return <span className="kit-muted">未设置</span>
  return <Ellipsis text={formatParameter(row.code, value)} />
}

function Actions({ row, input, onOpen }: { row: ParamRow; input: ParamInput; onOpen(layer: Layer): void }) {
  const reset = useWrite(agentParams.reset)
  const isVendor = useSession()?.ownerId === '1'
  const isOwn = row.source === 1
  const isPlatform = row.platformValue === null
  const isFixed = row.code === SERVER_SECRET && isPlatform
  if (findParam(row.code)?.isPlatformOnly && !isVendor) return <span className="kit-muted">由平台设置</span>
  return (
    <RowActions
      items={[
        {
          label: '修改',
          to: accessToRow(agentParams.update, isPlatform),
          onClick: () => onOpen({ what: 'edit', row }),
        },
        isOwn &&
          findParam(row.code)?.type === 'secret' && {
            label: '查看',
            to: accessToRow(agentParams.reveal, isPlatform),
            onClick: () => onOpen({ what: 'reveal', row }),
          },
        isOwn &&
          !isFixed && {
            label: '恢复默认',
            to: accessToRow(agentParams.reset, isPlatform),
            confirm: `删除 ${row.code} 的自有值，改用${isPlatform ? '默认值' : '平台值'}。`,
            onClick: () => reset.mutateAsync({ code: row.code, ...input }),
          },
      ]}
    />
  )
}

/** Returns the block of `data/.config.yaml` that connects a voice server with this console. */
export const buildServerConfig = (origin: string, secret: string) =>
  `manager-api:\n  url: ${origin}/xiaozhi\n  secret: ${JSON.stringify(secret)}\n`
