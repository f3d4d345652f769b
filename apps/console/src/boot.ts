import './early.ts'

// The document lists every chunk of main as modulepreload, so the browser is already loading it.
void import('./main.tsx')
