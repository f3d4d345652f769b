/** Renders the product's logo and name. */
export const Brand = ({ compact = false }: { compact?: boolean }) => (
  <div className="brand">
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--brand)" />
      <path d="M9 12.5 16 8.5l7 4v7l-7 4-7-4z" fill="none" stroke="#fff" strokeWidth="2.2" strokeLinejoin="round" />
      <circle cx="16" cy="16" r="2.6" fill="#fff" />
    </svg>
    {!compact && <span className="brand-name">运营管理系统</span>}
  </div>
)
