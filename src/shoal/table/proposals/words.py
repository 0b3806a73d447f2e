"""Words of column names by meaning: English, German, French, Spanish, Dutch, Italian.

All are in the form in which names are compared: small letters without accents, ä as ae, ß as ss.
"""

EMAIL = (
    "email, e mail, mail, email address, mail address",
    "mailadresse, emailadresse, e mail adresse",
    "courriel, adresse mail, adresse email, adresse electronique",
    "correo, correo electronico",
    "emailadres, e mailadres, mailadres",
    "posta elettronica, indirizzo email",
)
PHONE = (
    "phone, telephone, phone number, mobile, mobile number, cell phone, cellphone, fax",
    "telefon, telefonnummer, tel, handy, handynummer, mobilnummer, rufnummer",
    "numero de telephone, portable, tel portable",
    "telefono, movil, telefono movil, numero de telefono",
    "telefoon, telefoonnummer, mobiel, mobiele nummer",
    "cellulare, numero di telefono",
)
NAME = (
    "name, full name, first name, last name, surname, family name, given name, forename, "
    "firstname, lastname, middle name, maiden name",
    "nachname, vorname, familienname, zuname, rufname, geburtsname",
    "nom, prenom, nom de famille, nom complet, nom prenom",
    "nombre, apellido, apellidos, nombre completo, nombre y apellidos",
    "naam, voornaam, achternaam, familienaam, volledige naam",
    "nome, cognome, nome e cognome, nominativo",
)
ADDRESS = (
    "address, street, street address, home address, house number",
    "adresse, anschrift, strasse, hausnummer, wohnadresse",
    "rue, domicile, adresse postale",
    "direccion, calle, domicilio",
    "adres, straat, huisnummer, woonadres",
    "indirizzo, residenza",
)
NATIONAL_ID = (
    "ssn, social security number, nhs number, nhs no, passport, passport number, national id, "
    "insurance number, iban, account number, credit card, license plate, ip, ip address",
    "sozialversicherungsnummer, versichertennummer, steuernummer, steuer id, kontonummer, "
    "personalausweis, ausweisnummer, krankenversichertennummer, kennzeichen",
    "nir, numero de securite sociale, securite sociale, numero secu, carte vitale, passeport",
    "dni, nif, nie, numero de seguridad social, seguridad social, pasaporte",
    "bsn, burgerservicenummer, sofinummer, rekeningnummer, paspoort",
    "codice fiscale, tessera sanitaria, passaporto",
)
PERSON_ID = (
    "id, person id, patient id, pid, subject id, participant id, client id, customer id, "
    "member id, employee id, student id, patient number, patient no, person number, mrn, uid, "
    "respondent id",
    "patientennummer, patienten id, patientennr, personennummer, personen id, personalnummer, "
    "kundennummer, kunden id, mitgliedsnummer, matrikelnummer, pseudonym",
    "identifiant, identifiant patient, id patient, numero patient, numero de patient, matricule",
    "identificador, id paciente, numero de paciente, numero de historia, historia clinica",
    "patientnummer, patientnr, persoonsnummer, clientnummer, klantnummer, persoon id",
    "identificativo, id paziente, codice paziente, numero paziente, matricola",
)
CASE_ID = (
    "case id, case number, case no, record id, record number, visit id, encounter id, stay id, "
    "admission id, row id, order id, transaction id, invoice number, serial number, index",
    "fallnummer, fall id, fallnr, aktenzeichen, aufnahmenummer, belegnummer, vorgangsnummer, "
    "laufende nummer, lfd nr, lfdnr",
    "numero de dossier, numero dossier, numero de sejour, id sejour, numero de facture",
    "numero de caso, numero de expediente, expediente, numero de registro, id registro",
    "dossiernummer, zaaknummer, opnamenummer, volgnummer, factuurnummer",
    "numero di cartella, numero pratica, numero progressivo, id ricovero, progressivo",
)
FREE_TEXT = (
    "notes, note, comment, comments, remark, remarks, free text, freetext, description, narrative, "
    "anamnesis, letter",
    "bemerkung, bemerkungen, kommentar, notiz, notizen, anmerkung, anmerkungen, freitext, "
    "beschreibung, befund, arztbrief, anamnese",
    "remarque, remarques, commentaire, commentaires, texte libre, compte rendu, observations",
    "comentario, comentarios, observaciones, texto libre, notas",
    "opmerking, opmerkingen, toelichting, vrije tekst, notitie",
    "osservazioni, commento, commenti, testo libero, annotazioni",
)
HOUSEHOLD = (
    "household, household id, household number, hhid, hh id, family id",
    "haushalt, haushaltsnummer, haushalts id, haushaltsnr",
    "menage, id menage, numero de menage, foyer",
    "hogar, id hogar, numero de hogar, vivienda",
    "huishouden, huishoudnummer, huishouden id",
    "nucleo familiare, id famiglia, numero famiglia",
)
SURVEY_WEIGHT = (
    "survey weight, sampling weight, sample weight, pweight, fweight, wgt, person weight, "
    "design weight, final weight, fnlwgt, weighting, household weight, expansion factor",
    "hochrechnungsfaktor, gewichtung, gewichtungsfaktor, hochrechnungsgewicht, designgewicht, hrf",
    "ponderation, poids de sondage, coefficient de ponderation, facteur de ponderation, pondfin",
    "ponderacion, factor de expansion, peso muestral, factor de elevacion, factorel",
    "weegfactor, wegingsfactor, ophooggewicht, ophoogfactor, steekproefgewicht",
    "peso campionario, coefficiente di riporto, fattore di espansione, peso di riporto",
)
BODY = (
    "weight, body weight, height, body height, bmi, body mass index, waist, blood pressure, pulse",
    "gewicht, koerpergewicht, groesse, koerpergroesse, blutdruck, puls, bauchumfang",
    "poids, taille, imc, tension arterielle",
    "peso, peso corporal, altura, estatura, talla, tension arterial",
    "lichaamsgewicht, lengte, lichaamslengte, bloeddruk",
    "peso corporeo, altezza, statura, pressione arteriosa",
)
BIRTH = (
    "birth date, date of birth, dob, birthdate, birthday, birth year, year of birth, yob, birth",
    "geburtsdatum, geburtstag, geburtsjahr, geb datum, gebdatum, geboren",
    "date de naissance, naissance, annee de naissance, date naissance, ddn",
    "fecha de nacimiento, fecha nacimiento, nacimiento, ano de nacimiento, ano nacimiento",
    "geboortedatum, geboortejaar, geboorte",
    "data di nascita, data nascita, nascita, anno di nascita, anno nascita",
)
AGE = (
    "age, age years, age in years, age group, ageband, age band",
    "alter, lebensalter, altersgruppe, alter in jahren",
    "age en annees, classe d age, tranche d age",
    "edad, grupo de edad, edad en anos",
    "leeftijd, leeftijdsgroep, leeftijdsklasse",
    "eta, eta in anni, classe di eta, fascia di eta",
)
SEX = (
    "sex, gender", "geschlecht", "sexe, genre", "sexo, genero", "geslacht", "sesso, genere",
)  # fmt: skip
POSTCODE = (
    "postcode, post code, postal code, zip, zip code, zipcode, postalcode",
    "plz, postleitzahl",
    "code postal, cp, codepostal",
    "codigo postal, cod postal, codigopostal",
    "postcodes, postnummer",
    "cap, codice postale, codice di avviamento postale",
)
PLACE = (
    "city, town, municipality, county, state, region, district, country, place, residence, "
    "province, nuts, census tract, neighborhood, village",
    "ort, wohnort, stadt, gemeinde, kreis, landkreis, bundesland, land, staat, gemeindeschluessel, "
    "ags, bezirk, stadtteil, kanton",
    "ville, commune, departement, pays, lieu, code commune, code insee, canton",
    "ciudad, municipio, provincia, pais, comunidad autonoma, localidad, barrio",
    "stad, woonplaats, gemeente, provincie, wijk, buurt, regio",
    "citta, comune, regione, paese, localita, quartiere",
)
ORIGIN = (
    "nationality, citizenship, country of birth, native country, birthplace, place of birth, race, "
    "ethnicity, ethnic group, mother tongue, language",
    "staatsangehoerigkeit, nationalitaet, geburtsland, geburtsort, muttersprache, "
    "migrationshintergrund, staatsbuergerschaft",
    "nationalite, pays de naissance, lieu de naissance, langue maternelle, origine",
    "nacionalidad, pais de nacimiento, lugar de nacimiento, lengua materna, etnia, raza",
    "nationaliteit, geboorteland, geboorteplaats, moedertaal, etniciteit, herkomst",
    "nazionalita, cittadinanza, paese di nascita, luogo di nascita, madrelingua",
)
FAMILY = (
    "marital status, civil status, marital, relationship, children, number of children, "
    "household size, family size",
    "familienstand, kinder, anzahl kinder, kinderzahl, haushaltsgroesse",
    "etat civil, situation familiale, situation matrimoniale, nombre d enfants, enfants",
    "estado civil, numero de hijos, hijos, situacion familiar",
    "burgerlijke staat, aantal kinderen, kinderen, gezinssituatie",
    "stato civile, numero di figli, figli, stato di famiglia",
)
EDUCATION = (
    "education, education num, education level, degree, school, qualification, schooling",
    "bildung, schulabschluss, ausbildung, bildungsabschluss, schulbildung, abschluss",
    "diplome, niveau d etudes, niveau d education, etudes, formation",
    "educacion, estudios, nivel de estudios, nivel educativo, titulacion",
    "opleiding, opleidingsniveau, onderwijs, diploma",
    "istruzione, titolo di studio, livello di istruzione",
)
OCCUPATION = (
    "occupation, job, job title, profession, workclass, work class, employer, industry, "
    "employment status, hours per week",
    "beruf, taetigkeit, berufsgruppe, branche, arbeitgeber, erwerbsstatus",
    "metier, emploi, categorie socioprofessionnelle, csp, secteur d activite, employeur",
    "ocupacion, profesion, empleo, sector de actividad, empleador",
    "beroep, functie, werkgever, bedrijfstak, beroepsgroep",
    "professione, occupazione, mestiere, datore di lavoro, settore",
)
UNIT = (
    "department, ward, clinic, unit, hospital, hospital name, site, center, centre",
    "abteilung, station, klinik, krankenhaus, fachabteilung, standort, zentrum",
    "service, hopital, unite, etablissement, clinique",
    "servicio, hospital nombre, unidad, centro, clinica",
    "afdeling, ziekenhuis, kliniek, locatie",
    "reparto, ospedale, unita, struttura",
)
EVENT = (
    "admission, admission date, discharge, discharge date, date, visit date, interview date, "
    "date of death, death date, admitted, discharged, length of stay",
    "aufnahme, aufnahmedatum, entlassung, entlassdatum, entlassungsdatum, datum, sterbedatum, "
    "todesdatum, verweildauer, liegedauer",
    "date d admission, date d entree, date de sortie, admission le, duree de sejour, date de deces",
    "fecha, fecha de ingreso, fecha ingreso, fecha de alta, fecha alta, alta, estancia",
    "opname, opnamedatum, ontslag, ontslagdatum, ligduur, overlijdensdatum",
    "data, data di ricovero, data ricovero, data di dimissione, data dimissione, degenza",
)
DIAGNOSIS = (
    "diagnosis, diagnoses, icd, icd10, icd 10, icd code, disease, illness, "
    "main diagnosis, primary diagnosis, treatment, therapy, medication, hiv, "
    "disability, symptom",
    "diagnose, diagnosen, hauptdiagnose, nebendiagnose, krankheit, erkrankung, behandlung, "
    "therapie, medikament, medikation, behinderung, icd kode",
    "diagnostic, diagnostic principal, maladie, traitement, medicament, pathologie, handicap",
    "diagnostico, diagnostico principal, enfermedad, tratamiento, medicamento, discapacidad",
    "hoofddiagnose, ziekte, aandoening, behandeling, medicatie, geneesmiddel, beperking",
    "diagnosi, diagnosi principale, malattia, patologia, terapia, trattamento, farmaco, disabilita",
)
BELIEF = (
    "religion, denomination, faith, political party, party, vote, voted for, union, union member, "
    "sexual orientation, conviction, offense, offence, criminal record",
    "konfession, religionszugehoerigkeit, partei, parteimitgliedschaft, gewerkschaft, "
    "sexuelle orientierung, vorstrafe, vorstrafen, straftat",
    "confession, parti, parti politique, syndicat, orientation sexuelle, condamnation",
    "confesion, partido, partido politico, sindicato, orientacion sexual, condena",
    "godsdienst, geloof, partij, politieke partij, vakbond, seksuele orientatie, veroordeling",
    "religione, partito, partito politico, sindacato, orientamento sessuale, condanna",
)
MONEY = (
    "income, salary, wage, wages, earnings, pay, revenue, cost, costs, price, charge, charges, "
    "expenses, debt, wealth, rent, capital gain, capital loss, salary class, amount",
    "einkommen, nettoeinkommen, bruttoeinkommen, gehalt, lohn, kosten, preis, schulden, vermoegen, "
    "miete, betrag, umsatz",
    "revenu, revenus, salaire, cout, couts, prix, loyer, depenses, dette, montant",
    "ingresos, salario, sueldo, coste, costes, costo, costos, gasto, gastos, deuda, renta, importe",
    "inkomen, salaris, loon, prijs, huur, schuld, uitgaven, bedrag, vermogen",
    "reddito, stipendio, salario netto, retribuzione, spesa, spese, affitto, debito, importo",
)

PEOPLE = (
    "patient, patients, person, client, customer, member, employee, student, participant, subject, "
    "respondent, doctor, physician, nurse, mother, father, spouse, contact, user, home, private, "
    "main",
    "patienten, patientin, kunde, kunden, mitarbeiter, arzt, mutter, vater",
    "personne, malade, salarie, etudiant, medecin, mere, pere",
    "paciente, cliente, empleado, estudiante, medico, madre, padre",
    "persoon, klant, medewerker, arts, moeder, vader",
    "paziente, dipendente, studente",
)
LINKS = (
    "of, the, in, a, and", "der, die, das, dem, den, des, und", "de, du, la, le, l, d, et, en",
    "el, los, las, del, y", "van, het", "di, della, dello, il, lo, e",
)  # fmt: skip
