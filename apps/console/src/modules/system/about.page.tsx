import { EditOutlined } from '@ant-design/icons'
import { about, Contact, ContactInput, Dependency } from '@oms/contract/system/about.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Skeleton, Tag, Timeline, Form, Modal, Input, Segmented } from 'antd'
import { useState, useDeferredValue } from 'react'
import { formatBytes, formatDuration } from '#core/text/format.ts'
import { useRead } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { time } from '#kit/record/time.tsx'
import '#kit/record/record-head.css'
import './about.css'
import { call } from '#core/api/client.ts'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type * as z from 'zod'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

export type BuildFacts = ResultOf<typeof about.facts>

const { item } = createDescriptions(about.facts.result)
const PRODUCT = [
  item('version', (version, { build }) => `${version}${build ? `（${build}）` : ''}`),
  item('licence'),
  item('startTime', time),
  item('uptimeSeconds', (seconds) => formatDuration(seconds)),
  item('node'),
  item('platform'),
  item('database', (name, { databaseKind }) => `${name}（${databaseKind === 'embedded' ? '内置' : '外部'}）`),
  item('databaseBytes', (bytes) => formatBytes(bytes)),
  item('schemaVersion'),
  item('storage', (kind) => (kind === 's3' ? 'S3 兼容存储' : '本地目录')),
  item('timeZone'),
]
const contact = createDescriptions(Contact)
const CONTACT = [
  contact.item('company'),
  contact.item('phone'),
  contact.item('email', (email) => email && <a href={`mailto:${email}`}>{email}</a>),
  contact.item('website', (site) => site && <Website address={site} />),
  contact.wide('address'),
  contact.wide('intro'),
]

/** About page: product, environment, contact, and third-party licences. */
export default function AboutPage() {
  const { data, error, refetch } = useRead(about.facts, {}, { quiet: true })
  const [editing, setEditing] = useState(false)
  if (!data && error)
    return (
      <Page>
        <LoadFailed refusal={error} onRetry={() => void refetch()} />
      </Page>
    )
  if (!data)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 12 }} />
      </Panel>
    )
  return (
    <Page>
      <ProductPanel data={data} />
      <Panel title="联系我们">
        <Descriptions row={data.contact} items={CONTACT} />
        <Allowed to={about.update}>
          <Button style={{ marginTop: 16 }} icon={<EditOutlined />} onClick={() => setEditing(true)}>
            编辑联系方式
          </Button>
        </Allowed>
      </Panel>
      <Panel title="更新日志">
        <Releases releases={data.releases} />
      </Panel>
      <Dependencies />
      {editing && <ContactForm onClose={() => setEditing(false)} />}
    </Page>
  )
}

const ProductPanel = ({ data }: { data: BuildFacts }) => (
  <Panel>
    <header className="kit-head kit-note">
      <span className="kit-head-picture about-mark" aria-hidden>
        OMS
      </span>
      <div className="kit-head-main">
        <h1>{data.product}</h1>
        <p className="kit-muted">
          Operations Management System <Tag color="processing">v{data.version}</Tag>
        </p>
      </div>
    </header>
    {/* Accounts of tenants see only the product's data. */}
    <Descriptions row={data} items={data.node ? PRODUCT : PRODUCT.slice(0, 2)} />
  </Panel>
)

const Website = ({ address }: { address: string }) => (
  <a href={address} target="_blank" rel="noopener noreferrer">
    {address}
  </a>
)

const Releases = ({ releases }: Pick<BuildFacts, 'releases'>) => (
  <Timeline
    items={releases.map(({ version, date, changes }) => ({
      key: version,
      content: (
        <>
          <strong>v{version}</strong> <span className="kit-none">{date}</span>
          <ul className="about-changes">
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </>
      ),
    }))}
  />
)

/** Edits the contact texts of the about page. */
export function ContactForm({ onClose }: { onClose(): void }) {
  return (
    <FreshRecord read={readContact} title="编辑联系方式" onClose={onClose}>
      {(contact) => <EditForm contact={contact} onClose={onClose} />}
    </FreshRecord>
  )
}

const readContact = async () => (await call(about.facts, {}, { quiet: true })).contact

function EditForm({ contact, onClose }: { contact: BuildFacts['contact']; onClose(): void }) {
  const latest = readContact
  const { modal, form } = useFormModal(about.update, { onClose, initial: contact, latest })
  return (
    <Modal title="编辑联系方式" {...modal}>
      <Form {...form}>
        <TextField of={ContactInput} name="company" />
        <TextField of={ContactInput} name="phone" />
        <TextField of={ContactInput} name="email" />
        <TextField of={ContactInput} name="website" hint="以 http:// 或 https:// 开头" />
        <TextField of={ContactInput} name="address" />
        <NoteField of={ContactInput} name="intro" rows={4} />
      </Form>
    </Modal>
  )
}

type Package = z.output<typeof Dependency>
type Scope = Package['scope']

const { col } = createColumns(Dependency)
const COLUMNS = [
  col('name', { width: 260 }),
  col('version', { width: 140 }),
  col('licence', { width: 160 }),
  col('homepage', (address) => <Home address={address} />, { width: 320 }),
]
const SCOPES: { value: Scope; label: string }[] = [
  { value: 'runtime', label: '运行时' },
  { value: 'development', label: '开发与测试' },
]

/** Lists the third-party packages of the product with their licences. */
function Dependencies() {
  const { data, error, isPending, isFetching, refetch } = useRead(about.dependencies, {}, { quiet: true })
  const { scope, word, found, shown, page, setPage, choose, clear } = useFoundPackages(data?.list ?? [])
  return (
    <Panel title="第三方组件">
      <DependencySearch
        scope={scope}
        onScope={(next) => choose({ scope: next })}
        onText={(next) => choose({ text: next })}
      />
      <DataTable
        rows={shown}
        total={found.length}
        isEstimate={false}
        {...page}
        sort={undefined}
        pending={isPending}
        fetching={isFetching}
        turning={false}
        refusal={error}
        filtered={word !== ''}
        onPage={(pageNum, pageSize) => setPage({ pageNum, pageSize })}
        onSort={() => {}}
        onClear={clear}
        onRefresh={() => void refetch()}
        rowKey="name"
        columns={COLUMNS}
        empty={{ text: '没有组件信息：构建后可见' }}
      />
    </Panel>
  )
}

/** Filters the packages and divides the result into pages. A changed filter shows the first page. */
function useFoundPackages(packages: readonly Package[]) {
  const [scope, setScope] = useState<Scope>('runtime')
  const [text, setText] = useState('')
  const [page, setPage] = useState({ pageNum: 1, pageSize: 20 })
  const word = useDeferredValue(text.trim().toLowerCase())
  const found = packages.filter(
    (each) => each.scope === scope && `${each.name} ${each.licence}`.toLowerCase().includes(word),
  )
  const start = (page.pageNum - 1) * page.pageSize
  const shown = found.slice(start, start + page.pageSize)
  const choose = (next: { scope?: Scope; text?: string }) => {
    if (next.scope !== undefined) setScope(next.scope)
    if (next.text !== undefined) setText(next.text)
    setPage({ ...page, pageNum: 1 })
  }
  return { scope, word, found, shown, page, setPage, choose, clear: () => setText('') }
}

interface DependencySearchProps {
  readonly scope: Scope
  onScope(scope: Scope): void
  onText(text: string): void
}

const DependencySearch = ({ scope, onScope, onText }: DependencySearchProps) => (
  <div className="kit-row kit-note">
    <Segmented<Scope> options={SCOPES} value={scope} onChange={onScope} />
    <Input
      type="search"
      aria-label="搜索组件"
      placeholder="组件名或许可证"
      onChange={({ target }) => onText(target.value)}
    />
  </div>
)

const Home = ({ address }: { address: string }) => (
  <a href={address} target="_blank" rel="noopener noreferrer">
    {address}
  </a>
)
