import { DownloadOutlined } from '@ant-design/icons'
import { files } from '@oms/contract/system/file.ts'
import { COMPONENT_TYPE, type OtaComponent } from '@oms/contract/upgrade/ota.ts'
import { Button, Empty } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { download } from '#core/api/download.ts'
import { formatBytes } from '#core/text/format.ts'
import { CopyText } from '#kit/record/copy-text.tsx'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { parseFileId } from '#kit/upload/stored-file.ts'

type Component = z.output<typeof OtaComponent>

/** Lists the components of a saved version with their digests and downloads. */
export function ComponentList({ components }: { components: readonly Component[] }) {
  if (components.length === 0) return <Empty description="还没有组件" />
  return (
    <ul className="kit-plain">
      {components.map((component) => (
        <li key={component.id} className="kit-box">
          <div className="kit-row">
            <strong>{component.name}</strong>
            <DictLabelTag type="ota_component_type" words={COMPONENT_TYPE} value={component.type} />
            <span>{formatBytes(component.size)}</span>
            <DownloadButton {...component} />
          </div>
          <p className="kit-hint">{component.fileName}</p>
          <Digests {...component} />
        </li>
      ))}
    </ul>
  )
}

/** Digests that the server computed, each with a copy button. */
const Digests = ({ md5, sha1, sha256 }: Pick<Component, 'md5' | 'sha1' | 'sha256'>) => (
  <dl className="kit-facts">
    {Object.entries({ MD5: md5, 'SHA-1': sha1, 'SHA-256': sha256 }).map(([title, digest]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>
          <code>
            <CopyText text={digest} />
          </code>
        </dd>
      </div>
    ))}
  </dl>
)

function DownloadButton({ url, fileName, name }: Component) {
  const [busy, setBusy] = useState(false)
  const id = parseFileId(url)
  if (!id) return null
  const run = async () => {
    setBusy(true)
    await download(files.download, { id, download: '1' }, fileName)
    setBusy(false)
  }
  return (
    <Button
      size="small"
      icon={<DownloadOutlined />}
      className="kit-end"
      loading={busy}
      aria-label={`下载 ${name}`}
      onClick={run}
    >
      下载
    </Button>
  )
}
