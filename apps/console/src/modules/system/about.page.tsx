import { EditOutlined } from '@ant-design/icons'
import { about, Contact } from '@oms/contract/system/about.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Skeleton, Tag, Timeline } from 'antd'
import { useState } from 'react'
import { formatBytes, formatDuration } from '#core/text/format.ts'
import { useRead } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { time } from '#kit/record/time.tsx'
import { ContactForm } from './contact-form.tsx'
import { Dependencies } from './dependencies.tsx'
import './about.css'

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
    <header className="kit-row kit-note about-head">
      <span className="about-mark" aria-hidden>
        OMS
      </span>
      <div>
        <h1>{data.product}</h1>
        <p>
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
