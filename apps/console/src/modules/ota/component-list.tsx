import { DownloadOutlined } from '@ant-design/icons'
import { files } from '@oms/contract/file.ts'
import { COMPONENT_TYPE, type OtaComponent } from '@oms/contract/ota.ts'
import { Button, Empty, Tag } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { download } from '#kernel/download.ts'
import { formatBytes } from '#kernel/format.ts'
import { CopyText } from '#kit/copy-text.tsx'
import { fileIdIn } from '#kit/upload/stored-file.ts'
import './ota.css'

type Component = z.output<typeof OtaComponent>

/** Components of a saved version: what a person compares with the build, and the bytes themselves. */
export function ComponentList({ components }: { components: readonly Component[] }) {
  if (components.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有组件" />
  return (
    <ul className="ota-components">
      {components.map((component) => (
        <li key={component.id}>
          <div className="ota-component-head">
            <strong>{component.name}</strong>
            <Tag>{COMPONENT_TYPE[component.type as keyof typeof COMPONENT_TYPE]}</Tag>
            <span>{formatBytes(component.size)}</span>
            <DownloadButton {...component} />
          </div>
          <p className="ota-file">{component.fileName}</p>
          <Digests {...component} />
        </li>
      ))}
    </ul>
  )
}

/** The digests the server computed, each to be copied. */
const Digests = ({ md5, sha1, sha256 }: Pick<Component, 'md5' | 'sha1' | 'sha256'>) => (
  <dl className="ota-digests">
    {Object.entries({ MD5: md5, 'SHA-1': sha1, 'SHA-256': sha256 }).map(([title, digest]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>
          <CopyText text={digest} />
        </dd>
      </div>
    ))}
  </dl>
)

function DownloadButton({ url, fileName, name }: Component) {
  const [busy, setBusy] = useState(false)
  const id = fileIdIn(url)
  if (!id) return null
  const run = async () => {
    setBusy(true)
    await download(files.download, { id, download: '1' }, fileName)
    setBusy(false)
  }
  return (
    <Button size="small" icon={<DownloadOutlined />} loading={busy} aria-label={`下载 ${name}`} onClick={run}>
      下载
    </Button>
  )
}
