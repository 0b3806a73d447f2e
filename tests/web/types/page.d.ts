// What the page's scripts put on the window, and take from elements that are built by code.
interface Window {
  vegaEmbed?: (place: Element, spec: object, options: object) => Promise<{ view: any }>;
  shoalCharts?: string;
}
