import '#kit/kit.css'

/** Preformatted text with an accessible name. Focusable, because a long text scrolls by keyboard only then. */
export const CodeBlock = ({ name, children }: { name: string; children: string }) => (
  <pre className="kit-code" tabIndex={0} role="region" aria-label={name}>
    {children}
  </pre>
)
