import type { ReactNode } from 'react'
import { useFileUrl } from '#core/api/file-url.ts'
import { NameWithTags } from './ellipsis.tsx'
import '#kit/kit.css'

/** A thumbnail before a name in a list; `icon` is shown without a picture. */
function Thumb({ address, icon }: { address: string; icon: ReactNode }) {
  const url = useFileUrl(address)
  return url ? <img className="kit-thumb" src={url} alt="" /> : <span className="kit-thumb">{icon}</span>
}

/** A name with its thumbnail and tags. */
export function NameWithThumbnail({
  name,
  address,
  icon,
  children,
}: {
  name: string
  address: string
  icon: ReactNode
  children?: ReactNode
}) {
  return (
    <span className="kit-pictured">
      <Thumb address={address} icon={icon} />
      <NameWithTags name={name}>{children}</NameWithTags>
    </span>
  )
}
