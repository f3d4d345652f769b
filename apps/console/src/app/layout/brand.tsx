import { DEFAULT_NAME } from '@oms/contract/core/product.ts'
import { usePermissions } from '#core/auth/session.tsx'
import { useColorScheme } from '#core/theme/color-scheme.ts'

/** Renders the logo and the name of the tenant or of the installation; the product's own by default. */
export const Brand = ({ compact = false }: { compact?: boolean }) => {
  const { brand } = usePermissions()
  const logo = useColorScheme() === 'dark' ? brand.logoDark : brand.logo
  return (
    <div className="brand">
      {logo ? <img className="brand-mark" src={logo} alt="" /> : <BrandMark />}
      {!compact && <span className="brand-name">{brand.name || DEFAULT_NAME}</span>}
    </div>
  )
}

const BrandMark = () => (
  <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="var(--brand)" />
    <path d="M9 12.5 16 8.5l7 4v7l-7 4-7-4z" fill="none" stroke="#fff" strokeWidth="2.2" strokeLinejoin="round" />
    <circle cx="16" cy="16" r="2.6" fill="#fff" />
  </svg>
)
