/** Empty state of a home page card. */
export const HomeEmpty = ({ text }: { text: string }) => (
  <div className="home-empty">
    <svg width="56" height="36" viewBox="0 0 56 36" fill="none" stroke="currentColor" aria-hidden="true">
      <path d="M6 15.5 14 5h28l8 10.5V31a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2z" />
      <path d="M6 15.5h13.5c1.4 0 2.4 1.2 2.4 2.5 0 1.9 1.4 3.5 3.2 3.5h5.8c1.8 0 3.2-1.6 3.2-3.5 0-1.3 1-2.5 2.4-2.5H50" />
    </svg>
    <p>{text}</p>
  </div>
)
